#ifndef KERNELMESH_MESSAGES_RECORDS_FIGURES_HPP
#define KERNELMESH_MESSAGES_RECORDS_FIGURES_HPP
// What a judge measured, before any rule says what it means. devices/verdict_rules.hpp makes verdicts of it.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/tensor.hpp"

namespace messages {

/// One output of one checked call, held against the oracle. Errors are over elements that are finite on both sides.
struct output_figures {
  std::string name;           ///< of a buffer that the reference changes, "norm.running_mean"; empty: an output
  std::string expected_type;  ///< exact Python type of the reference's output, "torch.Tensor"
  std::string got_type;
  std::string expected_device;
  std::string got_device;
  tensor_spec expected;
  tensor_spec got;
  std::uint64_t elements = 0;
  std::uint64_t over_tolerance = 0;       ///< elements with |got - want| > tolerance * (1 + |want|)
  std::uint64_t non_finite_mismatch = 0;  ///< elements where NaN or an infinity is on one side only, or of other sign
  double max_abs = 0;
  double max_rel = 0;                  ///< over elements with |want| above the output's RMS / 1000
  std::optional<double> of_tolerance;  ///< the largest |got - want| / (tolerance * (1 + |want|)), if any is allowed
  double rms = 0;                      ///< of the error
  double reference_rms = 0;            ///< of the oracle's output
  double eager_max_abs = 0;            ///< eager's own error against the oracle on this draw
  double eager_rms = 0;
  std::vector<std::int64_t> first_index;  ///< of the first bad element; empty if none is bad
  double first_got = 0;
  double first_want = 0;

  void fields(auto& f) {
    f("name", name);
    f("expected_type", expected_type);
    f("got_type", got_type);
    f("expected_device", expected_device);
    f("got_device", got_device);
    f("expected", expected);
    f("got", got);
    f("elements", elements);
    f("over_tolerance", over_tolerance);
    f("non_finite_mismatch", non_finite_mismatch);
    f("max_abs", max_abs);
    f("max_rel", max_rel);
    f("of_tolerance", of_tolerance);
    f("rms", rms);
    f("reference_rms", reference_rms);
    f("eager_max_abs", eager_max_abs);
    f("eager_rms", eager_rms);
    f("first_index", first_index);
    f("first_got", first_got);
    f("first_want", first_want);
  }
  friend bool operator==(const output_figures&, const output_figures&) = default;
};

/// One set of inputs and weights and what the candidate made of it.
struct draw_figures {
  std::string seed;                ///< hex; the first is the task's own draw, the others are signed, scaled or shifted
  std::string kind;                ///< "own", "signed", "scaled_down", "scaled_up", "shifted", "tiny"
  std::string probe;               ///< how its contents differ from the draw before: "one_changed", "permuted", "mixed"
  std::string weights = "given";   ///< or "other_seed" (constant ones redrawn too), "perturbed" after construction
  bool finite = true;              ///< is the reference finite here? Draws on which it is not do not count
  bool inputs_changed = false;     ///< contents of inputs or weights differ after the call
  bool replayed = false;           ///< outputs are wrong, and bit by bit those of an earlier call
  bool written_later = false;      ///< outputs were written again after the call was done
  std::string expected_structure;  ///< how outputs are nested: "Tensor", "[Tensor, Tensor]"; empty: a function has none
  std::string got_structure;
  std::uint32_t expected_outputs = 0;
  std::uint32_t got_outputs = 0;
  std::vector<output_figures> outputs;

  void fields(auto& f) {
    f("seed", seed);
    f("kind", kind);
    f("probe", probe);
    f("weights", weights);
    f("finite", finite);
    f("inputs_changed", inputs_changed);
    f("replayed", replayed);
    f("written_later", written_later);
    f("expected_structure", expected_structure);
    f("got_structure", got_structure);
    f("expected_outputs", expected_outputs);
    f("got_outputs", got_outputs);
    f("outputs", outputs);
  }
  friend bool operator==(const draw_figures&, const draw_figures&) = default;
};

enum class candidate_end : std::uint8_t {
  finished,       ///< did all that was asked
  raised,         ///< its code raised; the message has the text
  exited,         ///< its process ended by itself; code
  killed,         ///< by a signal that we did not send; code
  timed_out,      ///< did not answer in time; we killed it
  out_of_memory,  ///< over its memory limit, or the system's
  tampered,       ///< it replaced what watches it; the message names that
};
constexpr auto enum_names(candidate_end) {
  return std::to_array<std::string_view>(
      {"finished", "raised", "exited", "killed", "timed_out", "out_of_memory", "tampered"});
}

/// How the candidate's process fared; `phase` is what it was doing.
struct candidate_fate {
  candidate_end end = candidate_end::finished;
  std::string phase = "load";  ///< "load" (import, dlopen, construction), "call", "time"
  std::int32_t code = 0;       ///< exit code or signal number
  std::string message;         ///< what it raised, cleaned of control characters, at most 4 KiB

  void fields(auto& f) {
    f("end", end);
    f("phase", phase);
    f("code", code);
    f("message", message);
  }
  friend bool operator==(const candidate_fate&, const candidate_fate&) = default;
};

/// What stands under every number.
struct environment {
  std::string device_model;  ///< "AMD EPYC 9B14, 2 cores"
  std::string driver;
  std::string python;
  std::string torch;
  std::string toolchain;  ///< "g++ 12.2.0"
  std::string kernelmesh;

  void fields(auto& f) {
    f("device_model", device_model);
    f("driver", driver);
    f("python", python);
    f("torch", torch);
    f("toolchain", toolchain);
    f("kernelmesh", kernelmesh);
  }
  friend bool operator==(const environment&, const environment&) = default;
};

/// One more draw in a process in which libraries' operators raise: what is left is the candidate's own work.
struct library_figures {
  std::vector<std::string> calls;  ///< "aten::mm", "numpy.matmul"; each once, in the order they were first tried
  bool changed = false;            ///< it failed there, or its outputs were other ones than without the guard
  std::string message;             ///< what it raised there; empty: nothing

  void fields(auto& f) {
    f("calls", calls);
    f("changed", changed);
    f("message", message);
  }
  friend bool operator==(const library_figures&, const library_figures&) = default;
};

struct verify_figures {
  std::string shape;  ///< of the inputs, "[16, 64], [64]"; empty: the task has one shape
  std::string dtype;  ///< of floating inputs, else of weights, "bfloat16", "float32 and float64"; empty: none, unknown
  candidate_fate fate;
  double tolerance = 1e-4;  ///< absolute and relative, of the task's dtype
  std::vector<draw_figures> draws;
  std::optional<library_figures> library;  ///< there if it was tried: the candidate came that far
  std::string degenerate;                  ///< what passes on every draw without computing: "constant", "echo"; empty
  double forward_ns = 0;        ///< spent in forward calls of reference and candidate; the rest is the judge's
  std::string tier = "hosted";  ///< or "sealed": what is judged and timed runs without host code of the candidate
  std::string why_hosted;       ///< why a candidate that might have been sealed is not; else empty
  std::string sandbox = "none";
  messages::environment environment;

  void fields(auto& f) {
    f("shape", shape);
    f("dtype", dtype);
    f("fate", fate);
    f("tolerance", tolerance);
    f("draws", draws);
    f("library", library);
    f("degenerate", degenerate);
    f("forward_ns", forward_ns);
    f("tier", tier);
    f("why_hosted", why_hosted);
    f("sandbox", sandbox);
    f("environment", environment);
  }
  friend bool operator==(const verify_figures&, const verify_figures&) = default;
};

/// Pairs: sample i of the candidate and of each baseline were taken side by side.
struct time_figures {
  std::string shape;  ///< as in verify_figures
  std::string dtype;  ///< as in verify_figures
  candidate_fate fate;
  std::vector<double> candidate_ns;                        ///< one call, the empty bracket already taken off
  std::map<std::string, std::vector<double>> baseline_ns;  ///< "eager", "compile"
  std::vector<double> repeat_ns;                           ///< eager once more beside itself, for the A/A noise
  double empty_bracket_ns = 0;                             ///< asking an empty candidate and its answer, median
  double empty_spread_ns = 0;        ///< half the width of the empty brackets' middle two thirds: their deviation
  std::vector<double> late_ns;       ///< of some calls: call and delivery of outputs, less a baseline's delivery
  std::vector<double> late_call_ns;  ///< the same calls by the call alone: a candidate works in its call or is late
  /// Where `candidate_ns` is by a clock in the candidate's process: the same calls by the judge's own, less what that
  /// has of eager's call beyond what the clock in its process has. Else empty.
  std::vector<double> bracket_ns;
  double bracket_spread_ns = 0;       ///< deviation of what was taken off, as empty_spread_ns
  std::vector<double> alone_ns;       ///< eager before the candidate was started
  std::vector<draw_figures> checked;  ///< outputs of timed calls, chosen at random
  std::uint64_t floor_bytes = 0;      ///< what the task must move at least
  double floor_ns = 0;                ///< reading and writing so much of the same memory, at the fastest; 0: unknown
  double forward_ns = 0;              ///< as in verify_figures
  std::map<std::string, std::string> left_out;  ///< baselines that can't be timed: "compile" -> why
  std::string tier = "hosted";
  std::string why_hosted;  ///< as in verify_figures
  std::string sandbox = "none";
  messages::environment environment;

  void fields(auto& f) {
    f("shape", shape);
    f("dtype", dtype);
    f("fate", fate);
    f("candidate_ns", candidate_ns);
    f("baseline_ns", baseline_ns);
    f("repeat_ns", repeat_ns);
    f("empty_bracket_ns", empty_bracket_ns);
    f("empty_spread_ns", empty_spread_ns);
    f("late_ns", late_ns);
    f("late_call_ns", late_call_ns);
    f("bracket_ns", bracket_ns);
    f("bracket_spread_ns", bracket_spread_ns);
    f("alone_ns", alone_ns);
    f("checked", checked);
    f("floor_bytes", floor_bytes);
    f("floor_ns", floor_ns);
    f("forward_ns", forward_ns);
    f("left_out", left_out);
    f("tier", tier);
    f("why_hosted", why_hosted);
    f("sandbox", sandbox);
    f("environment", environment);
  }
  friend bool operator==(const time_figures&, const time_figures&) = default;
};

/// What a profiler counted of one kernel; on a CPU of the whole program, or of one function of its library.
struct kernel_figures {
  std::string name;
  std::uint32_t launches = 1;             ///< that the figures are means of
  std::map<std::string, double> metrics;  ///< by the names in devices/profile_rules.hpp; what was not counted is absent

  void fields(auto& f) {
    f("name", name);
    f("launches", launches);
    f("metrics", metrics);
  }
  friend bool operator==(const kernel_figures&, const kernel_figures&) = default;
};

/// What shows why a candidate is as fast as it is, on the first of the task's shapes.
struct profile_figures {
  candidate_fate fate;
  std::string source;                   ///< "Nsight Compute 2025.3.1", "perf", "objdump"; empty: nothing but the time
  std::vector<std::string> missing;     ///< why a better source gave nothing, a sentence each
  std::vector<kernel_figures> kernels;  ///< in the order of their first launch
  double call_ns = 0;                   ///< of one call without a profiler, median; 0: not measured
  std::uint32_t calls = 1;              ///< that a source on a CPU counted together
  std::uint64_t working_set_bytes = 0;  ///< inputs, weights and outputs
  std::uint64_t cache_bytes = 0;        ///< the device's largest cache; 0: unknown
  double profiler_s = 0;                ///< that the profiler took, its start too
  std::string tier = "hosted";
  std::string sandbox = "none";
  messages::environment environment;

  void fields(auto& f) {
    f("fate", fate);
    f("source", source);
    f("missing", missing);
    f("kernels", kernels);
    f("call_ns", call_ns);
    f("calls", calls);
    f("working_set_bytes", working_set_bytes);
    f("cache_bytes", cache_bytes);
    f("profiler_s", profiler_s);
    f("tier", tier);
    f("sandbox", sandbox);
    f("environment", environment);
  }
  friend bool operator==(const profile_figures&, const profile_figures&) = default;
};

}  // namespace messages

#endif
