#ifndef KERNELMESH_MESSAGES_RECORDS_VERDICT_HPP
#define KERNELMESH_MESSAGES_RECORDS_VERDICT_HPP
// What a stage found out: the honest results that agents feed on.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages/records/device.hpp"
#include "messages/records/figures.hpp"
#include "messages/records/ids.hpp"

namespace messages {

enum class stage_kind : std::uint8_t { trace, static_check, compile, verify, time, profile };
constexpr auto enum_names(stage_kind) {
  return std::to_array<std::string_view>({"trace", "static", "compile", "verify", "time", "profile"});
}

// -- what is wrong with a kernel --------------------------------------------------------------------------------------

/// Where it showed.
enum class failure_stage : std::uint8_t { trace, static_check, compile, load, verify, time };
constexpr auto enum_names(failure_stage) {
  return std::to_array<std::string_view>({"trace", "static", "compile", "load", "verify", "time"});
}

/// Append only.
enum class failure_kind : std::uint8_t {
  unknown,  ///< what a newer peer may report
  compile_error,
  load_error,
  wrong_values,
  wrong_shape,
  wrong_strides,
  wrong_dtype,
  non_finite,
  input_changed,
  late_write,
  replay,
  precision_downgrade,
  library_calls,
  clock_mismatch,
  below_floor,
  crash,
  timeout,
  out_of_memory,
  tampering,
  task_error,  ///< not the candidate's: the task itself can't be imported, traced or run
};
constexpr auto enum_names(failure_kind) {
  return std::to_array<std::string_view>({"unknown",       "compile_error",  "load_error",  "wrong_values",
                                          "wrong_shape",   "wrong_strides",  "wrong_dtype", "non_finite",
                                          "input_changed", "late_write",     "replay",      "precision_downgrade",
                                          "library_calls", "clock_mismatch", "below_floor", "crash",
                                          "timeout",       "out_of_memory",  "tampering",   "task_error"});
}

struct kernel_failure {
  failure_stage stage = failure_stage::verify;
  failure_kind kind = failure_kind::unknown;
  std::optional<std::string> cheat_class;  ///< "A" to "F", only from evidence
  std::string message;                     ///< one sentence
  std::map<std::string, std::string> details;

  void fields(auto& f) {
    f("stage", stage);
    f("kind", kind);
    f("cheat_class", cheat_class);
    f("message", message);
    f("details", details);
  }
  friend bool operator==(const kernel_failure&, const kernel_failure&) = default;
};

// -- what a passed stage gives ----------------------------------------------------------------------------------------

/// One of a task's further shapes.
struct traced_shape {
  blob_hash graph;       ///< of the op graph's JSON
  blob_hash simplified;  ///< as in `traced`

  const blob_hash& planned() const { return simplified.value.empty() ? graph : simplified; }

  void fields(auto& f) {
    f("graph", graph);
    f("simplified", simplified);
  }
  friend bool operator==(const traced_shape&, const traced_shape&) = default;
};

struct traced {
  static constexpr auto wire_name = "traced";
  blob_hash graph;     ///< of the op graph's JSON
  device_info device;  ///< as it was then: what agents plan for
  blob_hash task;      ///< of the task as it was shrunk, which all else is about; none: as it was given
  std::map<std::string, std::int64_t> shrunk;  ///< the globals that were replaced for it
  std::vector<traced_shape> others;            ///< behind the first, in the task's order; empty: it has one shape

  // What the job made of it, recorded with it: absent where no rule fired.
  blob_hash simplified;                    ///< of the graph after legal algebra; plans refer to it
  std::vector<std::string> rules;          ///< that fired, in plain words
  std::vector<std::uint64_t> input_bytes;  ///< that are still read of each tensor among the inputs, shape by shape

  /// What plans refer to.
  const blob_hash& planned() const { return simplified.value.empty() ? graph : simplified; }

  void fields(auto& f) {
    f("graph", graph);
    f("device", device);
    f("task", task);
    f("shrunk", shrunk);
    f("others", others);
    f("simplified", simplified);
    f("rules", rules);
    f("input_bytes", input_bytes);
  }
  friend bool operator==(const traced&, const traced&) = default;
};

/// A lead, never a verdict by itself.
struct static_finding {
  std::string file;
  std::uint32_t line = 0;  ///< 1-based; 0: the whole file
  std::string message;

  void fields(auto& f) {
    f("file", file);
    f("line", line);
    f("message", message);
  }
  friend bool operator==(const static_finding&, const static_finding&) = default;
};

struct statically_checked {
  static constexpr auto wire_name = "checked";
  std::vector<static_finding> findings;
  void fields(auto& f) { f("findings", findings); }
  friend bool operator==(const statically_checked&, const statically_checked&) = default;
};

struct compiled {
  static constexpr auto wire_name = "compiled";
  blob_hash artifact;  ///< none where the entry needs no build
  std::uint64_t size_bytes = 0;
  std::string toolchain;  ///< "g++ 12.2.0"
  bool from_cache = false;

  void fields(auto& f) {
    f("artifact", artifact);
    f("size_bytes", size_bytes);
    f("toolchain", toolchain);
    f("from_cache", from_cache);
  }
  friend bool operator==(const compiled&, const compiled&) = default;
};

struct error_summary {
  double max_abs = 0;
  double max_rel = 0;
  double reference_max_abs = 0;  ///< eager's own error against the oracle
  double tolerance = 0;          ///< absolute and relative: allowed is tolerance * (1 + |want|)

  /// The largest error as a share of what is allowed: of that, or on redraws of what eager's own error allows,
  /// whichever is kept better. Nothing where it was not measured.
  std::optional<double> of_allowed;

  void fields(auto& f) {
    f("max_abs", max_abs);
    f("max_rel", max_rel);
    f("reference_max_abs", reference_max_abs);
    f("tolerance", tolerance);
    f("of_allowed", of_allowed);
  }
  friend bool operator==(const error_summary&, const error_summary&) = default;
};

/// Where and under which rules it was judged.
struct judging {
  std::string tier = "hosted";   ///< or "sealed"
  std::string why_hosted;        ///< why it is not sealed, where it might have been; else empty
  std::string sandbox = "none";  ///< "namespaces", "none"
  std::string policy = "as_shipped";
  std::string dtype;      ///< in which the task was judged: "bfloat16", "float32 and float64"; empty: unknown
  std::string precision;  ///< class of the result; empty where it was not measured
  std::string weights;    ///< "any", "prepared_at_init"; empty where it was not measured
  bool degenerate_task = false;
  std::vector<std::string> library;  ///< operators of libraries that it calls, where they are allowed: "aten::mm"
  std::vector<std::string> draws;    ///< what was checked, a word a call: "own", "signed", "one_changed", "perturbed"
  std::vector<std::string> seeds;    ///< hex, disclosed after the fact
  std::vector<std::string> shapes;   ///< of the inputs, "[16, 64], [64]"; empty: the task has one
  messages::environment environment;

  void fields(auto& f) {
    f("tier", tier);
    f("why_hosted", why_hosted);
    f("sandbox", sandbox);
    f("policy", policy);
    f("dtype", dtype);
    f("precision", precision);
    f("weights", weights);
    f("degenerate_task", degenerate_task);
    f("library", library);
    f("draws", draws);
    f("seeds", seeds);
    f("shapes", shapes);
    f("environment", environment);
  }
  friend bool operator==(const judging&, const judging&) = default;
};

struct verified {
  static constexpr auto wire_name = "verified";
  messages::judging judging;
  error_summary error;

  void fields(auto& f) {
    f("judging", judging);
    f("error", error);
  }
  friend bool operator==(const verified&, const verified&) = default;
};

/// Times in milliseconds; low and high bound the median's 95 % interval.
struct distribution {
  double median = 0;
  double low = 0;
  double high = 0;
  std::uint32_t samples = 0;

  void fields(auto& f) {
    f("median", median);
    f("low", low);
    f("high", high);
    f("samples", samples);
  }
  friend bool operator==(const distribution&, const distribution&) = default;
};

/// Median of the paired ratios with its 95 % interval.
struct ratio {
  double value = 0;
  double low = 0;
  double high = 0;

  void fields(auto& f) {
    f("value", value);
    f("low", low);
    f("high", high);
  }
  friend bool operator==(const ratio&, const ratio&) = default;
};

/// Of one shape of a task that has several.
struct shape_timing {
  std::string shape;  ///< of the inputs, "[16, 64], [64]"
  distribution candidate_ms;
  distribution eager_ms;
  std::optional<distribution> compile_ms;
  ratio speedup_eager;
  std::optional<ratio> speedup_compile;
  std::optional<double> roofline_share;

  void fields(auto& f) {
    f("shape", shape);
    f("candidate_ms", candidate_ms);
    f("eager_ms", eager_ms);
    f("compile_ms", compile_ms);
    f("speedup_eager", speedup_eager);
    f("speedup_compile", speedup_compile);
    f("roofline_share", roofline_share);
  }
  friend bool operator==(const shape_timing&, const shape_timing&) = default;
};

/// Of a task with several shapes: geometric means over them; the noise is the largest.
struct timing {
  distribution candidate_ms;
  distribution eager_ms;
  std::optional<distribution> compile_ms;  ///< there if torch.compile was a baseline
  ratio speedup_eager;
  std::optional<ratio> speedup_compile;
  std::optional<double> roofline_share;    ///< there if the device's bandwidth is known; above 1: faster than that
  std::optional<double> own_kernel_share;  ///< 0 to 1; there if it was measured
  double aa_noise = 0;                     ///< relative, of eager timed against itself
  std::string clock = "judge";             ///< "shim", "replayer", "judge"; of baselines "shim" where it is not "judge"
  std::vector<shape_timing> shapes;        ///< empty: the task has one

  void fields(auto& f) {
    f("candidate_ms", candidate_ms);
    f("eager_ms", eager_ms);
    f("compile_ms", compile_ms);
    f("speedup_eager", speedup_eager);
    f("speedup_compile", speedup_compile);
    f("roofline_share", roofline_share);
    f("own_kernel_share", own_kernel_share);
    f("aa_noise", aa_noise);
    f("clock", clock);
    f("shapes", shapes);
  }
  friend bool operator==(const timing&, const timing&) = default;
};

struct timed {
  static constexpr auto wire_name = "timed";
  messages::timing timing;
  void fields(auto& f) { f("timing", timing); }
  friend bool operator==(const timed&, const timed&) = default;
};

/// Of one kernel of the candidate, or of one function of its library.
struct profiled_kernel {
  std::string name;
  std::uint32_t launches = 1;  ///< in a call
  double time_share = 0;       ///< of all kernels' time together; 0: not known
  std::string bottleneck;      ///< as in `profiled`
  std::string reason;
  std::map<std::string, double> metrics;

  void fields(auto& f) {
    f("name", name);
    f("launches", launches);
    f("time_share", time_share);
    f("bottleneck", bottleneck);
    f("reason", reason);
    f("metrics", metrics);
  }
  friend bool operator==(const profiled_kernel&, const profiled_kernel&) = default;
};

/// Advice, never evidence: it decides nothing about a candidate.
struct profiled {
  static constexpr auto wire_name = "profiled";
  std::map<std::string, double> metrics;  ///< of a whole call; names in devices/profile_rules.hpp
  std::string bottleneck;  ///< "memory", "cache", "compute", "latency", "parallelism", "overhead", "unknown"
  std::string reason;      ///< why, with the figures; one sentence
  std::string source;      ///< "Nsight Compute 2025.3.1", "perf", "objdump"; empty: time, bytes and roofline alone
  std::string missing;     ///< why no better source was used; empty: the best one was
  std::vector<profiled_kernel> kernels;  ///< the longest first; empty without a source

  void fields(auto& f) {
    f("metrics", metrics);
    f("bottleneck", bottleneck);
    f("reason", reason);
    f("source", source);
    f("missing", missing);
    f("kernels", kernels);
  }
  friend bool operator==(const profiled&, const profiled&) = default;
};

/// The candidate (or the task, for a trace) failed this stage.
struct rejected {
  static constexpr auto wire_name = "rejected";
  kernel_failure failure;
  std::optional<messages::judging> judging;  ///< there if it got as far as a judge
  std::optional<error_summary> error;        ///< there if values were compared

  void fields(auto& f) {
    f("failure", failure);
    f("judging", judging);
    f("error", error);
  }
  friend bool operator==(const rejected&, const rejected&) = default;
};

struct verdict {
  static constexpr auto wire_name = "verdict";
  std::variant<rejected, traced, statically_checked, compiled, verified, timed, profiled> finding;

  void fields(auto& f) { f("finding", finding); }
  friend bool operator==(const verdict&, const verdict&) = default;
};

}  // namespace messages

#endif
