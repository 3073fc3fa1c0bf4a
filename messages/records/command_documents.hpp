#ifndef KERNELMESH_MESSAGES_RECORDS_COMMAND_DOCUMENTS_HPP
#define KERNELMESH_MESSAGES_RECORDS_COMMAND_DOCUMENTS_HPP
// What the lesser commands print with --json. Fields may be added, none may change its meaning.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace messages {

/// What a run would take, before it starts: about, not at most. Only the number of candidates is a bound.
struct estimate_document {
  std::string schema = "kernelmesh.estimate/1";
  std::string name;
  std::uint32_t jobs = 0;
  std::uint64_t evaluations = 0;  ///< candidates at most
  std::uint64_t stages = 0;       ///< if no candidate is refused, or timed more than once
  double seconds = 0;             ///< until the run has ended
  double start_seconds = 0;       ///< of these, until workers have started
  double dollars = 0;
  std::map<std::string, double> stage_seconds;  ///< kind -> of one stage
  std::map<std::string, std::uint64_t>
      measured;  ///< kind -> stages of earlier runs that this is the mean of; 0: assumed

  void fields(auto& f) {
    f("schema", schema);
    f("name", name);
    f("jobs", jobs);
    f("evaluations", evaluations);
    f("stages", stages);
    f("seconds", seconds);
    f("start_seconds", start_seconds);
    f("dollars", dollars);
    f("stage_seconds", stage_seconds);
    f("measured", measured);
  }
  friend bool operator==(const estimate_document&, const estimate_document&) = default;
};

struct completion_document {
  std::string schema = "kernelmesh.completion/1";
  std::string shell;
  std::string script;

  void fields(auto& f) {
    f("schema", schema);
    f("shell", shell);
    f("script", script);
  }
  friend bool operator==(const completion_document&, const completion_document&) = default;
};

/// A span on a time line, as Chrome's trace viewer and Perfetto read it. Times are in microseconds.
struct trace_event {
  std::string name;
  std::string cat;       ///< kind of the stage, or "wait"
  std::string ph = "X";  ///< a span with its duration
  std::int64_t ts = 0;   ///< since the run's start
  std::int64_t dur = 0;
  std::uint32_t pid = 1;
  std::uint32_t tid = 0;
  std::map<std::string, std::string> args;

  void fields(auto& f) {
    f("name", name);
    f("cat", cat);
    f("ph", ph);
    f("ts", ts);
    f("dur", dur);
    f("pid", pid);
    f("tid", tid);
    f("args", args);
  }
  friend bool operator==(const trace_event&, const trace_event&) = default;
};

struct trace_document {
  std::string schema = "kernelmesh.trace/1";
  std::string run;
  std::string unit = "ms";  ///< in which viewers show times
  std::vector<trace_event> events;

  void fields(auto& f) {
    f("schema", schema);
    f("run", run);
    f("displayTimeUnit", unit);
    f("traceEvents", events);
  }
  friend bool operator==(const trace_document&, const trace_document&) = default;
};

}  // namespace messages

#endif
