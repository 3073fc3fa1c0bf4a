#include "actors/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "actors/report/numbers.hpp"

namespace actors::report {

using namespace messages;
using logic::candidate_state;
using logic::job_state;

namespace {

using namespace drawing;

constexpr double row_height = 26;
constexpr std::size_t bars_most = 8;

struct scale {
  double from = 0, to = 1;    ///< values
  double begin = 0, end = 1;  ///< places
  double operator()(double x) const {
    if (!std::isfinite(x)) return begin;
    auto share = to > from ? std::clamp((x - from) / (to - from), 0.0, 1.0) : 0;
    return std::round((begin + (end - begin) * share) * 10) / 10;
  }
};

/// 1, 2 or 5 times a power of ten, so that about `lines` of them reach `top_value`.
double step_for(double top_value, int lines) {
  double raw = top_value / lines;
  double power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

double place_of(std::size_t index, std::size_t count) {
  return scale{0, static_cast<double>(std::max<std::size_t>(count, 2) - 1), left + 10,
               right - 10}(static_cast<double>(index));
}

// -- speedups ---------------------------------------------------------------------------------------------------------

double highest_speedup(const job_state& job) {
  double highest = 1;
  for (const auto& x : job.candidates)
    if (std::isfinite(x.speedup())) highest = std::max(highest, x.speedup());
  return highest * 1.12;
}

/// Indices of the candidates that get a mark.
std::set<std::size_t> chosen(const job_state& job, std::size_t most) {
  std::set<std::size_t> out;
  auto count = job.candidates.size();
  for (std::size_t i = 0; i < count && out.size() < most / 2; ++i)
    if (std::ranges::find(job.gains, job.candidates[i].id()) != job.gains.end()) out.insert(i);
  auto stride = std::max<std::size_t>(1, (count + most / 2) / std::max<std::size_t>(1, most / 2));
  for (std::size_t i = 0; i < count; i += count <= most / 2 ? 1 : stride) out.insert(i);
  return out;
}

void add_grid(plot& to, const scale& y) {
  auto step = step_for(y.to, 4);
  for (double x = 0; x <= y.to; x += step)
    to.grid.push_back({left, y(x), right, y(x), "line", fmt::format("{:.4g}x", x)});
  to.grid.push_back({left, y(1), right, y(1), "eager", ""});
}

void add_candidate(plot& to, const candidate_state& x, std::size_t number, double at, const scale& y) {
  if (x.speedup() > 0) {
    const auto& ratio = x.timing()->speedup_eager;
    to.whiskers.push_back({at, y(ratio.high), at, y(ratio.low), "interval", ""});
    to.points.push_back({at, y(ratio.value), at, 0, "good",
                         fmt::format("#{}: {} ({})", number, ratio_text(ratio.value), interval_text(ratio))});
  } else if (x.rejection) {
    to.points.push_back({at, foot, at, 0, "bad", fmt::format("#{}: {}", number, word_of(x.rejection->kind))});
  } else {
    to.points.push_back({at, foot, at, 0, "open", fmt::format("#{}: not timed", number)});
  }
}

/// Numbers of candidates below the foot, as their table has them.
void add_numbers(plot& to, std::size_t count) {
  auto step = std::max<std::size_t>(1, static_cast<std::size_t>(step_for(static_cast<double>(count), 12)));
  for (std::size_t number = 1; number <= count; number = number == 1 && step > 1 ? step : number + step)
    to.labels.push_back({place_of(number - 1, count), foot + 21, 0, 0, "tick", std::to_string(number)});
}

std::string best_so_far(const job_state& job, const scale& y) {
  std::string path;
  double best = 0;
  for (std::size_t i = 0; i < job.candidates.size(); ++i) {
    if (job.candidates[i].speedup() <= best) continue;
    best = job.candidates[i].speedup();
    auto at = place_of(i, job.candidates.size());
    path += path.empty() ? fmt::format("M{} {}", at, y(best)) : fmt::format("H{}V{}", at, y(best));
  }
  return path.empty() ? path : path + fmt::format("H{}", right);
}

// -- times ------------------------------------------------------------------------------------------------------------

void add_bar(plot& to, const std::string& label, const std::string& kind, const distribution& x, const scale& across) {
  auto y = top + row_height * static_cast<double>(to.bars.size());
  to.bars.push_back({across(0), y, across(x.median) - across(0), 14, kind,
                     label + ": " + duration_text(x.median) + ", 95 % " + interval_text(x)});
  to.whiskers.push_back({across(x.low), y + 7, across(x.high), y + 7, "interval", ""});
  to.labels.push_back({8, y + 12, 0, 0, "name", label});
  to.labels.push_back({std::min(across(x.high) + 8, 880.0), y + 12, 0, 0, "value", duration_text(x.median)});
}

// -- timeline ---------------------------------------------------------------------------------------------------------

constexpr std::array lanes{stage_kind::trace,  stage_kind::static_check, stage_kind::compile,
                           stage_kind::verify, stage_kind::time,         stage_kind::profile};

struct stage_span {
  stage_kind kind;
  double from, to, queued;  ///< seconds since the job's start
  std::string label;
};

const stage_result* stage_of(const fact& x) {
  if (auto done = std::get_if<stage_finished>(&x.content)) return &done->result;
  if (auto failed = std::get_if<stage_failed>(&x.content)) return &failed->result;
  return nullptr;
}

std::vector<stage_span> spans_of(const job_state& job, const job_facts& facts, std::size_t most) {
  std::vector<stage_span> out;
  if (!job.started) return out;
  for (auto x : facts) {
    auto result = stage_of(*x);
    if (!result || out.size() == most) continue;
    auto end = std::chrono::duration<double>(x->at - *job.started).count();
    auto ran = std::chrono::duration<double>(result->elapsed).count();
    auto waited = std::chrono::duration<double>(result->queued).count();
    auto label = fmt::format("{}: waited {}, ran {}", word_of(result->kind), seconds_text(waited), seconds_text(ran));
    out.push_back({result->kind, std::max(0.0, end - ran), std::max(0.0, end), waited, label});
  }
  return out;
}

void add_time_axis(plot& to, double end, const scale& across) {
  auto step = step_for(end, 6);
  for (double x = 0; x <= end; x += step)
    to.grid.push_back({across(x), top - 6, across(x), to.height - 22, "line", ""}),
        to.labels.push_back({across(x), to.height - 6, 0, 0, "tick", fmt::format("{:.4g} s", x)});
}

void add_spans(plot& to, const std::vector<stage_span>& spans, stage_kind lane, const scale& across, double y) {
  for (const auto& x : spans) {
    if (x.kind != lane) continue;
    auto waits = across(std::max(0.0, x.from - x.queued));
    if (x.queued > 0) to.whiskers.push_back({waits, y + 7, across(x.from), y + 7, "waiting", ""});
    to.bars.push_back({across(x.from), y, std::max(1.5, across(x.to) - across(x.from)), 14, word_of(lane), x.label});
  }
}

}  // namespace

std::vector<const candidate_state*> fastest(const job_state& job) {
  std::vector<const candidate_state*> out;
  for (const auto& x : job.candidates)
    if (x.speedup() > 0) out.push_back(&x);
  std::ranges::stable_sort(out, std::greater{}, [](auto x) { return x->speedup(); });
  return out;
}

std::optional<plot> plot_speedups(const job_state& job, std::size_t most) {
  if (job.candidates.empty() || most < 4) return std::nullopt;
  plot x{.caption = "Speedup over eager of each candidate, by its number in the table; those without at the foot",
         .height = 254};
  scale y{0, highest_speedup(job), bottom, top};
  add_grid(x, y);
  add_numbers(x, job.candidates.size());
  x.path = best_so_far(job, y);
  for (auto i : chosen(job, most)) add_candidate(x, job.candidates[i], i + 1, place_of(i, job.candidates.size()), y);
  return x;
}

std::optional<plot> plot_times(const job_state& job) {
  auto best = fastest(job);
  if (best.empty()) return std::nullopt;
  if (best.size() > bars_most) best.resize(bars_most);
  const auto& first = *best.front()->timing();
  double longest = std::max(first.eager_ms.high, first.compile_ms ? first.compile_ms->high : 0);
  for (auto x : best) longest = std::max(longest, x->timing()->candidate_ms.high);
  if (!(longest > 0)) return std::nullopt;
  plot x{.caption = "Median time of a call with its 95 % interval: baselines and the fastest candidates"};
  scale across{0, longest, 150, 860};
  add_bar(x, "eager", "baseline", first.eager_ms, across);
  if (first.compile_ms) add_bar(x, "torch.compile", "baseline", *first.compile_ms, across);
  for (auto one : best)
    add_bar(x, fmt::format("#{}", one - job.candidates.data() + 1), one == job.best() ? "best" : "good",
            one->timing()->candidate_ms, across);
  x.height = top + row_height * static_cast<double>(x.bars.size());
  return x;
}

std::optional<plot> plot_timeline(const job_state& job, const job_facts& facts, std::size_t most) {
  auto spans = spans_of(job, facts, most);
  double end = 0;
  for (const auto& x : spans) end = std::max(end, x.to);
  if (!(end > 0)) return std::nullopt;
  plot x{.caption = "Stages of this job since its start: thin lines wait, bars run"};
  scale across{0, end, 100, right};
  std::vector<stage_kind> used;
  for (auto lane : lanes)
    if (std::ranges::find(spans, lane, &stage_span::kind) != spans.end()) used.push_back(lane);
  x.height = top + row_height * static_cast<double>(used.size()) + 22;
  add_time_axis(x, end, across);
  for (std::size_t i = 0; i < used.size(); ++i) {
    auto y = top + row_height * static_cast<double>(i);
    x.labels.push_back({8, y + 12, 0, 0, "name", word_of(used[i])});
    add_spans(x, spans, used[i], across, y);
  }
  return x;
}

}  // namespace actors::report
