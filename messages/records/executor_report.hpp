#ifndef KERNELMESH_MESSAGES_RECORDS_EXECUTOR_REPORT_HPP
#define KERNELMESH_MESSAGES_RECORDS_EXECUTOR_REPORT_HPP
// What an executor reports to the actor in front of it, and what an actor reminds itself of. They stay inside a
// process.

#include <cstdint>
#include <string>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/records/stage.hpp"

namespace messages {

struct executor_ready {
  static constexpr auto wire_name = "executor_ready";
  void fields(auto&) {}
  friend bool operator==(const executor_ready&, const executor_ready&) = default;
};

struct executor_down {
  static constexpr auto wire_name = "executor_down";
  failure reason;
  void fields(auto& f) { f("reason", reason); }
  friend bool operator==(const executor_down&, const executor_down&) = default;
};

struct executor_ended {
  static constexpr auto wire_name = "executor_ended";
  stage_id stage;
  std::uint32_t attempt = 1;
  stage_outcome outcome = failure{};

  void fields(auto& f) {
    f("stage", stage);
    f("attempt", attempt);
    f("outcome", outcome);
  }
  friend bool operator==(const executor_ended&, const executor_ended&) = default;
};

/// Sent by an actor to itself, later.
struct reminder {
  static constexpr auto wire_name = "reminder";
  std::string of;
  std::uint64_t number = 0;

  void fields(auto& f) {
    f("of", of);
    f("number", number);
  }
  friend bool operator==(const reminder&, const reminder&) = default;
};

}  // namespace messages

#endif
