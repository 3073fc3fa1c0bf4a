#include "messages/protocols/type_ids.hpp"
#include "messages/records/blob.hpp"
#include "messages/records/event.hpp"
#include "messages/records/executor_report.hpp"
#include "messages/records/fact.hpp"
#include "messages/records/job.hpp"
#include "messages/records/link_call.hpp"
#include "messages/records/membership.hpp"
#include "messages/records/question.hpp"
#include "messages/records/resource.hpp"
#include "messages/records/run.hpp"

namespace messages {

template <class T>
std::string message_text(const T& x) {
  return wire::to_json(x, {.longest = 200});
}

#define KERNELMESH_INSTANTIATE(name) template std::string message_text<name>(const name&);
KERNELMESH_MESSAGES(KERNELMESH_INSTANTIATE)
#undef KERNELMESH_INSTANTIATE

}  // namespace messages
