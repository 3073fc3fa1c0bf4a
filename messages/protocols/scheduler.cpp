#include "messages/protocols/scheduler.hpp"

namespace messages {

std::string to_string(const resource_joined& x) { return "resource_joined " + wire::to_json(x.offer); }

}  // namespace messages
