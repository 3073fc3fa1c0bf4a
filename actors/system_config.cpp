#include "actors/system_config.hpp"

#include <algorithm>
#include <thread>

#include "messages/protocols/scheduler.hpp"
#include "messages/records/blob.hpp"
#include "messages/records/event.hpp"
#include "messages/records/executor_report.hpp"
#include "messages/records/fact.hpp"
#include "messages/records/job.hpp"
#include "messages/records/link_call.hpp"
#include "messages/records/membership.hpp"
#include "messages/records/question.hpp"
#include "messages/records/run.hpp"

namespace actors {

/// The one place that registers messages: it costs seconds to compile, and here each record must be complete.
system_config::system_config() {
  add_message_types<caf::id_block::kernelmesh>();
  set("scheduler.policy", caf::atom("sharing"));  // stealing burns a third of a core on timers alone
  set("scheduler.max-threads", std::max<std::size_t>(2, std::thread::hardware_concurrency()));
}

}  // namespace actors
