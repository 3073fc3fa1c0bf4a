#ifndef KERNELMESH_MESSAGES_RECORDS_WORKER_HPP
#define KERNELMESH_MESSAGES_RECORDS_WORKER_HPP
// What a node and its Python workers say to each other: version 1 of the worker protocol, devices/worker/PROTOCOL.md.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/candidate.hpp"
#include "messages/records/device.hpp"
#include "messages/records/figures.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/stage.hpp"
#include "messages/records/task.hpp"

namespace messages {

/// Goes up with every change that an older worker would misread.
inline constexpr std::uint16_t worker_version = 1;

/// Of one message in either direction, at most. FRAME_BYTES of kernelmesh_worker/hub.py is the same.
inline constexpr std::uint32_t worker_message_bytes = 64u << 20;

// -- to a worker ------------------------------------------------------------------------------------------------------

/// What a device was found to do, which takes a second to measure.
struct calibration {
  std::string schema = "kernelmesh.calibration/1";
  std::string of;  ///< machine and software as the judge names them; of another one it says nothing
  double copy_bytes_per_second = 0;
  double fma_flops_per_second = 0;
  std::chrono::sys_time<std::chrono::milliseconds> at{};  ///< when it was measured
  double scatter = 0;  ///< by which the fastest few of the repeats differ: 0.1 is 10 %; 0 where that was not noted
  double load = 0;     ///< of the machine then, by core; 0 where that was not noted

  /// What it says may be of a busy moment.
  bool is_noisy() const { return scatter > 0.05 || load > 0.5; }

  void fields(auto& f) {
    f("schema", schema);
    f("of", of);
    f("copy_bytes_per_second", copy_bytes_per_second);
    f("fma_flops_per_second", fma_flops_per_second);
    f("at_ms", at);
    f("scatter", scatter);
    f("load", load);
  }
  friend bool operator==(const calibration&, const calibration&) = default;
};

/// Judge: what is this device?
struct probe_work {
  static constexpr auto wire_name = "probe";
  device_name device;
  std::optional<calibration> known;  ///< from an earlier start; believed if it is of this machine and software

  void fields(auto& f) {
    f("device", device);
    f("known", known);
  }
  friend bool operator==(const probe_work&, const probe_work&) = default;
};

/// Judge: the task's op graph.
struct trace_work {
  static constexpr auto wire_name = "trace";
  messages::task task;
  device_name device;

  void fields(auto& f) {
    f("task", task);
    f("device", device);
  }
  friend bool operator==(const trace_work&, const trace_work&) = default;
};

/// Judge: is the candidate right? With `time`, how fast is it beside its baselines? With `profile`, why no faster?
struct judge_work {
  static constexpr auto wire_name = "judge";
  messages::task task;
  candidate_manifest manifest;
  std::map<std::string, std::string> files;  ///< path in the manifest -> absolute path to read it from
  std::string artifact;                      ///< absolute path; empty: none
  std::string adapter;                       ///< absolute path of the DSL's adapter.py; empty for imported files
  device_name device;
  judge_options options;
  /// Of each of the task's input tensors, to be read at least; those of one shape behind the other; empty: unknown.
  std::vector<std::uint64_t> input_bytes;
  bool time = false;
  bool profile = false;  ///< instead of all that; of the first shape

  void fields(auto& f) {
    f("task", task);
    f("manifest", manifest);
    f("files", files);
    f("artifact", artifact);
    f("adapter", adapter);
    f("device", device);
    f("options", options);
    f("input_bytes", input_bytes);
    f("time", time);
    f("profile", profile);
  }
  friend bool operator==(const judge_work&, const judge_work&) = default;
};

/// Compiler: build the candidate.
struct compile_work {
  static constexpr auto wire_name = "compile";
  candidate_manifest manifest;
  std::map<std::string, std::string> files;  ///< path in the manifest -> absolute path to read it from
  std::string adapter;                       ///< absolute path of the DSL's adapter.py
  std::string arch;
  std::string folder;  ///< absolute, empty and the worker's own: the artifact is written there
  std::chrono::milliseconds limit{120'000};

  void fields(auto& f) {
    f("manifest", manifest);
    f("files", files);
    f("adapter", adapter);
    f("arch", arch);
    f("folder", folder);
    f("limit_ms", limit);
  }
  friend bool operator==(const compile_work&, const compile_work&) = default;
};

/// One command; the worker answers each with exactly one reply, in any order.
struct worker_command {
  std::uint64_t id = 0;
  std::variant<probe_work, trace_work, judge_work, compile_work> work;

  void fields(auto& f) {
    f("id", id);
    f("work", work);
  }
  friend bool operator==(const worker_command&, const worker_command&) = default;
};

// -- from a worker ----------------------------------------------------------------------------------------------------

/// The first message; nothing is sent to the worker before.
struct worker_hello {
  static constexpr auto wire_name = "hello";
  std::uint16_t version = 0;  ///< worker_version; another one is refused
  std::string role;           ///< "judge", "compiler"
  std::uint32_t pid = 0;
  messages::environment environment;

  void fields(auto& f) {
    f("version", version);
    f("role", role);
    f("pid", pid);
    f("environment", environment);
  }
  friend bool operator==(const worker_hello&, const worker_hello&) = default;
};

/// Still at work; any number of them before the reply.
struct worker_progress {
  static constexpr auto wire_name = "progress";
  double share = 0;
  std::string text;

  void fields(auto& f) {
    f("share", share);
    f("text", text);
  }
  friend bool operator==(const worker_progress&, const worker_progress&) = default;
};

struct probe_done {
  static constexpr auto wire_name = "probed";
  device_info device;
  messages::calibration calibration;  ///< the known one, or what was measured now

  void fields(auto& f) {
    f("device", device);
    f("calibration", calibration);
  }
  friend bool operator==(const probe_done&, const probe_done&) = default;
};

struct trace_done {
  static constexpr auto wire_name = "traced";
  op_graph graph;
  std::vector<op_graph> others;                ///< of the task's other shapes, in their order
  std::map<std::string, std::int64_t> shrunk;  ///< globals that were replaced to shrink the task; of the graph's task

  void fields(auto& f) {
    f("graph", graph);
    f("others", others);
    f("shrunk", shrunk);
  }
  friend bool operator==(const trace_done&, const trace_done&) = default;
};

/// The user's task can't be imported, built or run: bad input, not a kernel's fault.
struct task_refused {
  static constexpr auto wire_name = "task_refused";
  std::string message;     ///< one sentence
  std::uint32_t line = 0;  ///< of the task file, 1-based; 0: unknown
  void fields(auto& f) {
    f("message", message);
    f("line", line);
  }
  friend bool operator==(const task_refused&, const task_refused&) = default;
};

struct verify_done {
  static constexpr auto wire_name = "verified";
  verify_figures figures;
  std::vector<verify_figures> others;  ///< on the task's other shapes, as far as the candidate came
  std::uint32_t shapes = 1;            ///< how many the task has

  void fields(auto& f) {
    f("figures", figures);
    f("others", others);
    f("shapes", shapes);
  }
  friend bool operator==(const verify_done&, const verify_done&) = default;
};

struct time_done {
  static constexpr auto wire_name = "timed";
  time_figures figures;
  std::vector<time_figures> others;  ///< as in verify_done
  std::uint32_t shapes = 1;

  void fields(auto& f) {
    f("figures", figures);
    f("others", others);
    f("shapes", shapes);
  }
  friend bool operator==(const time_done&, const time_done&) = default;
};

struct profile_done {
  static constexpr auto wire_name = "profiled";
  profile_figures figures;
  void fields(auto& f) { f("figures", figures); }
  friend bool operator==(const profile_done&, const profile_done&) = default;
};

struct compile_done {
  static constexpr auto wire_name = "compiled";
  std::string artifact;  ///< file name in the command's folder; empty: the entry needs no build
  std::string toolchain;
  std::vector<static_finding> warnings;

  void fields(auto& f) {
    f("artifact", artifact);
    f("toolchain", toolchain);
    f("warnings", warnings);
  }
  friend bool operator==(const compile_done&, const compile_done&) = default;
};

/// The toolchain ran and refused the candidate.
struct compile_refused {
  static constexpr auto wire_name = "compile_refused";
  failure_kind kind = failure_kind::compile_error;  ///< or timeout, out_of_memory
  std::string message;                              ///< the first error, one line
  std::string log;                                  ///< at most 16 KiB, cleaned of control characters
  std::string toolchain;
  std::vector<static_finding> findings;

  void fields(auto& f) {
    f("kind", kind);
    f("message", message);
    f("log", log);
    f("toolchain", toolchain);
    f("findings", findings);
  }
  friend bool operator==(const compile_refused&, const compile_refused&) = default;
};

/// The worker itself could not do it: an infrastructure failure.
struct worker_failure {
  static constexpr auto wire_name = "failed";
  std::string message;  ///< one sentence
  void fields(auto& f) { f("message", message); }
  friend bool operator==(const worker_failure&, const worker_failure&) = default;
};

struct worker_reply {
  std::uint64_t id = 0;  ///< of the command; 0 for hello
  std::variant<worker_failure, worker_hello, worker_progress, probe_done, trace_done, task_refused, verify_done,
               time_done, profile_done, compile_done, compile_refused>
      content;

  void fields(auto& f) {
    f("id", id);
    f("content", content);
  }
  friend bool operator==(const worker_reply&, const worker_reply&) = default;
};

}  // namespace messages

#endif
