#ifndef KERNELMESH_MESSAGES_RECORDS_FAILURE_HPP
#define KERNELMESH_MESSAGES_RECORDS_FAILURE_HPP
// What went wrong with the machinery. A kernel that is wrong, slow or crashes is no failure: it is a verdict.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace messages {

/// Append only. The number stays inside a process, the name travels.
enum class failure_code : std::uint8_t {
  unknown,            ///< what a newer peer may report
  node_lost,          ///< the connection to a node went down; whether the request was carried out is not known
  deadline_exceeded,  ///< no answer in time
  overloaded,         ///< more is open than the options allow
  refused,            ///< the other side does not accept us
  unknown_actor,      ///< nobody of that name, or nobody who takes that message
  unreadable,         ///< a message or a file did not have the form it must have
  actor_lost,         ///< the actor died before it answered
  wrong_answer,       ///< the answer names another stage or attempt than the request
  misconfigured,      ///< an option or a config is wrong; the detail says where
  worker_lost,        ///< a worker process died or did not start
  no_resource,        ///< nothing that could do it is there
  storage,            ///< disk full, not writable, or what should lie there does not
  bad_input,          ///< a task, candidate or plan from outside can't be used
  not_found,          ///< no run, job or blob of that name
  interrupted,        ///< stopped on request; can be resumed
};

constexpr auto enum_names(failure_code) {
  return std::to_array<std::string_view>({"unknown", "node_lost", "deadline_exceeded", "overloaded", "refused",
                                          "unknown_actor", "unreadable", "actor_lost", "wrong_answer", "misconfigured",
                                          "worker_lost", "no_resource", "storage", "bad_input", "not_found",
                                          "interrupted"});
}

struct failure {
  static constexpr auto wire_name = "failure";
  failure_code code = failure_code::unknown;
  std::string detail;  ///< one sentence, with names and numbers, and the way out where there is one

  void fields(auto& f) {
    f("code", code);
    f("detail", detail);
  }
  friend bool operator==(const failure&, const failure&) = default;
};

template <class T>
using expected = tl::expected<T, failure>;

inline tl::unexpected<failure> fail(failure_code code, std::string detail) {
  return tl::unexpected{failure{code, std::move(detail)}};
}

}  // namespace messages

#endif
