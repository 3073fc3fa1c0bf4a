#include "actors/report/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"

namespace actors::report {

using namespace messages;

namespace {

constexpr std::size_t evidence_lines = 3;

/// In this order; other details come after them.
constexpr std::array telling_details{"output", "index", "want",   "got",       "bad_elements", "elements", "draw",
                                     "seed",   "text",  "signal", "exit_code", "findings",     "calls"};

std::string pair_of(const std::string& key, const std::string& value) {
  return clean_line(key, 40) + " " + clean_line(value, 160);
}

/// What the sentence has said already need not follow it.
bool said(const kernel_failure& x, const std::string& key, const std::string& value) {
  return std::ranges::find(telling_details, key) != telling_details.end() && x.message.find(value) != std::string::npos;
}

/// The details on one line, each by its first line; logs have a line of their own.
std::string details_line(const kernel_failure& x) {
  std::string out;
  auto add = [&](const std::string& key, const std::string& text) {
    auto value = text.substr(0, text.find('\n'));
    if (value.empty() || said(x, key, value) || out.size() > 200) return;
    out += (out.empty() ? "" : ", ") + pair_of(key, value);
  };
  for (auto key : telling_details)
    if (auto found = x.details.find(key); found != x.details.end()) add(key, found->second);
  for (const auto& [key, value] : x.details)
    if (key != "log" && std::ranges::find(telling_details, key) == telling_details.end()) add(key, value);
  return clean_line(out, 300);
}

/// The first line of the log that speaks of an error, else its first line.
std::string log_line(const std::string& log) {
  auto text = clean_block(log, 16'384);
  auto at = text.find("error");
  auto begin = at == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  return clean_line(text.substr(begin, text.find('\n', begin) - begin), 300);
}

std::string times_line(const distribution& x) {
  return fmt::format("{} ({}, {})", duration_text(x.median), interval_text(x),
                     count_text(x.samples, "sample", "samples"));
}

std::string speedup_line(const ratio& x) {
  return fmt::format("{} (median of pairs; {})", ratio_text(x.value), interval_text(x));
}

std::string listed(const std::vector<std::string>& words, const char* between, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < words.size() && i < most; ++i) out += (i ? between : "") + clean_line(words[i], 40);
  return words.size() > most ? out + fmt::format(" and {} more", words.size() - most) : out;
}

/// Classes of cheats by their letter.
std::string class_word(const std::string& letter) {
  static const std::map<std::string, std::string, std::less<>> words{
      {"A", "touches what is not its own"},     {"B", "gives an earlier answer"},
      {"C", "works outside of its timed call"}, {"D", "right on easy inputs only"},
      {"E", "leaves the work to a library"},    {"F", "tampers with the judge"}};
  auto found = words.find(letter);
  return found == words.end() ? "" : " (" + found->second + ")";
}

/// How the judge names what it checked, for people.
std::string draw_word(const std::string& word) {
  static const std::map<std::string, std::string, std::less<>> words{
      {"one_changed", "one changed"}, {"other_seed", "other weights"}, {"perturbed", "perturbed weights"}};
  if (auto found = words.find(word); found != words.end()) return found->second;
  auto plain = clean_line(word, 40);
  std::ranges::replace(plain, '_', ' ');
  return plain;
}

/// Each word once, in the order it came first, with how often it came.
std::string kinds_text(const std::vector<std::string>& draws) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const auto& draw : draws) {
    auto known = std::ranges::find(counts, draw, &std::pair<std::string, std::size_t>::first);
    if (known == counts.end()) known = counts.insert(counts.end(), {draw, 0});
    ++known->second;
  }
  std::string out;
  for (const auto& [word, count] : counts)
    out += (out.empty() ? "" : ", ") + draw_word(word) + (count > 1 ? fmt::format(" x{}", count) : "");
  return out;
}

}  // namespace

std::string name_of(const kernel_failure& x) {
  auto name = word_of(x.kind) + " in " + word_of(x.stage);
  return x.cheat_class ? name + ", class " + clean_line(*x.cheat_class, 4) + class_word(*x.cheat_class) : name;
}

std::vector<std::string> evidence_of(const kernel_failure& x) {
  std::vector<std::string> lines{clean_line(x.message)};
  if (auto log = x.details.find("log"); log != x.details.end()) lines.push_back(log_line(log->second));
  lines.push_back(details_line(x));
  std::erase(lines, "");
  if (lines.size() > 1 && lines[1] == lines[0]) lines.erase(lines.begin() + 1);
  if (lines.size() > evidence_lines) lines.resize(evidence_lines);
  return lines;
}

std::string sentence_of(const error_summary& x) {
  std::string share;
  if (x.of_allowed && *x.of_allowed > 1) share = fmt::format("{:.3g} times what is allowed; ", *x.of_allowed);
  if (x.of_allowed && *x.of_allowed <= 1)
    share = (*x.of_allowed < 0.001 ? "under 0.1 %" : share_text(*x.of_allowed)) + " of what is allowed; ";
  return share
         + fmt::format("worst {} (relative {}), eager {}, tolerance {} x (1 + |value|)", error_text(x.max_abs),
                       error_text(x.max_rel), error_text(x.reference_max_abs), error_text(x.tolerance));
}

std::vector<labelled> times_of(const timing& x) {
  return {{"time of candidate", times_line(x.candidate_ms)},
          {"time of eager", times_line(x.eager_ms)},
          {"time of torch.compile", x.compile_ms ? times_line(*x.compile_ms) : "not measured"}};
}

std::vector<labelled> speedups_of(const timing& x, const speedup_grounds& grounds) {
  return {{"speedup over eager", speedup_line(x.speedup_eager) + ", " + standing_of(x.speedup_eager, grounds)},
          {"speedup over torch.compile", x.speedup_compile ? speedup_line(*x.speedup_compile) : "not measured"}};
}

std::vector<labelled> shapes_of(const timing& x) {
  std::vector<labelled> out;
  for (const auto& shape : x.shapes) {
    auto text =
        fmt::format("{}: {}, {} over eager ({})", clean_line(shape.shape, 80), duration_text(shape.candidate_ms.median),
                    ratio_text(shape.speedup_eager.value), interval_text(shape.speedup_eager));
    if (shape.speedup_compile) text += ", " + ratio_text(shape.speedup_compile->value) + " over torch.compile";
    out.push_back({out.empty() ? "shapes" : "", std::move(text)});
  }
  if (!out.empty()) out.push_back({"", "times and speedups above are geometric means over these"});
  return out;
}

std::string draws_text(const verify_document& x) {
  if (x.draws.empty()) return x.seeds.empty() ? "" : count_text(x.seeds.size(), "call", "calls");
  return count_text(x.draws.size(), "call", "calls") + ": " + kinds_text(x.draws);
}

std::vector<labelled> draws_of(const verify_document& x) {
  if (x.seeds.empty()) return {};
  return {{"draws", draws_text(x)}, {"seeds", "secret until judged: " + listed(x.seeds, " ", 8)}};
}

std::string library_text(const verify_document& x) {
  bool refused = x.failure && x.failure->kind == failure_kind::library_calls;
  if (refused || x.library.empty()) return {};
  return listed(x.library, ", ", 6) + " (library work, allowed)";
}

std::string weights_text(const std::string& x) {
  return x == "prepared_at_init" ? "prepared at init: later changes are not seen" : clean_line(x, 40);
}

std::string degenerate_sentence() { return "a constant or an echo passes this task; left out of means"; }

std::string hosted_text(const verify_document& x) {
  return x.tier == "hosted" && !x.why_hosted.empty() ? "not sealed: " + clean_line(x.why_hosted, 300) : "";
}

/// Baselines have host code, so theirs is another one where the candidate has none.
std::string clock_text(const timing& x) {
  return x.clock == "replayer" ? "replayer, of the baselines shim" : clean_line(x.clock, 40);
}

std::vector<labelled> conditions_of(const verify_document& x) {
  std::vector<labelled> out{{"policy", clean_line(x.policy, 40)}};
  if (x.seeds.empty() && x.environment.torch.empty()) return out;
  auto tier = clean_line(x.tier, 40);
  if (x.timing) tier += fmt::format(", clock {}, A/A noise {}", clock_text(*x.timing), share_text(x.timing->aa_noise));
  out.insert(out.begin(), {{"tier", tier}, {"sandbox", clean_line(x.sandbox, 40)}});
  if (auto why = hosted_text(x); !why.empty()) out.push_back({"hosted", why});
  if (!x.dtype.empty()) out.push_back({"judged in", clean_line(x.dtype, 60)});
  if (!x.precision.empty()) out.push_back({"precision", clean_line(x.precision, 40)});
  if (!x.weights.empty()) out.push_back({"weights", weights_text(x.weights)});
  if (auto calls = library_text(x); !calls.empty()) out.push_back({"calls", calls});
  if (x.degenerate_task) out.push_back({"degenerate", degenerate_sentence()});
  return out;
}

std::vector<labelled> environment_of(const environment& x) {
  std::vector<labelled> out{{"device", clean_line(x.device_model)}, {"driver", clean_line(x.driver)},
                            {"Python", clean_line(x.python)},       {"torch", clean_line(x.torch)},
                            {"toolchain", clean_line(x.toolchain)}, {"kernelmesh", clean_line(x.kernelmesh)}};
  std::erase_if(out, [](const auto& line) { return line.text.empty(); });
  return out;
}

std::vector<std::string> not_measured(const verify_document& x) {
  std::vector<std::string> out;
  auto note = [&](bool missing, const char* what) {
    if (missing) out.emplace_back(what);
  };
  bool passed = x.verdict == overall_verdict::passed;
  note(passed && !x.timing, "time");
  note(x.timing && !x.timing->compile_ms, "torch.compile");
  note(x.timing && !x.timing->roofline_share, "share of the roofline");
  note(x.timing && !x.timing->own_kernel_share && x.library.empty(), "share of time in its own kernels");
  note(passed && x.precision.empty(), "precision class");
  note(passed && x.weights.empty(), "other weights");
  return out;
}

std::string text_of(const calibration& x, const std::string& measure) {
  auto text =
      fmt::format("copies {:.1f} GB/s, multiplies and adds {:.0f} GFLOP/s, measured {} on {}",
                  x.copy_bytes_per_second / 1e9, x.fma_flops_per_second / 1e9, date_text(x.at), clean_line(x.of, 120));
  if (!x.is_noisy()) return text;
  return text
         + fmt::format(
             "; the machine was busy then (the fastest repeats differ by {}, load {:.1f} a core): "
             "{} on a quiet machine measures it anew",
             share_text(x.scatter), x.load, measure);
}

std::string reason_of(const std::string& stopped_by) {
  static const std::map<std::string, std::string, std::less<>> reasons{
      {"roofline", "as close to the roofline as asked"},
      {"patience", "no gain for as many candidates as allowed"},
      {"evaluations", "all evaluations that were allowed are used"},
      {"time", "the time limit"},
      {"exhausted", "nothing more to try"},
      {"task", "the task itself can't be used"},
      {"infrastructure", "the machinery failed"}};
  auto found = reasons.find(stopped_by);
  return found == reasons.end() ? clean_line(stopped_by, 60) : found->second;
}

std::vector<labelled> bottleneck_of(const profiled& x) {
  constexpr std::size_t most_kernels = 8;
  std::vector<labelled> out{{"bottleneck", clean_line(x.bottleneck, 40) + ": " + clean_line(x.reason)}};
  auto source = clean_line(x.source, 60);
  out.push_back({"profiled by", "time, bytes and roofline" + (source.empty() ? "" : ", " + source)
                                    + (x.missing.empty() ? "" : "; " + clean_line(x.missing))});
  if (x.kernels.size() < 2) return out;
  for (std::size_t i = 0; i < std::min(most_kernels, x.kernels.size()); ++i) {
    const auto& one = x.kernels[i];
    auto share = one.time_share > 0 ? fmt::format(" {:.0f} % of the time,", 100 * one.time_share) : "";
    out.push_back({i == 0 ? "kernels" : "", clean_line(one.name, 80) + ":" + share + " "
                                                + clean_line(one.bottleneck, 40) + ", " + clean_line(one.reason)});
  }
  return out;
}

}  // namespace actors::report
