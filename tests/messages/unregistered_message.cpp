// Must not compile with CAF_ENABLE_TYPE_ID_CHECKS, for want of a line in messages/protocols/type_ids.hpp.
#include "messages/protocols/type_ids.hpp"
#include "tests/support/caf_message.hpp"

namespace messages {
struct forgotten {
  int a = 0;
  void fields(auto& f) { f("a", a); }
};
}  // namespace messages

auto x = caf::make_message(messages::forgotten{});
