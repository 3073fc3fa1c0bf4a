#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "actors/logic/documents.hpp"
#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/page_parts.hpp"
#include "actors/report/plots.hpp"

namespace actors::report {

using namespace messages;
using logic::candidate_state;
using logic::job_state;

namespace {

constexpr std::size_t sources_most = 16;
constexpr std::size_t shared_most = 64;
constexpr std::size_t leads_most = 8;

/// Candidate -> its number.
using numbering = std::map<candidate_id, std::size_t>;

std::string parents_of(const candidate_state& x, const numbering& numbers) {
  std::string out;
  for (const auto& parent : x.made.manifest.parents) {
    if (out.size() > 80) return out + " ...";
    auto known = numbers.find(parent);
    out += (out.empty() ? "" : ", ")
           + (known == numbers.end() ? clean_line(parent.value, 10) : fmt::format("#{}", known->second));
  }
  return out;
}

std::string knobs_of(const knob_values& knobs) {
  std::string out;
  for (const auto& [name, value] : knobs) {
    if (out.size() > 400) return out + " ...";
    auto number = std::get_if<std::int64_t>(&value);
    auto text = number ? std::to_string(*number) : clean_line(std::get<std::string>(value), 60);
    out += (out.empty() ? "" : ", ") + clean_line(name, 60) + "=" + text;
  }
  return out;
}

std::string verdict_of(const job_state& job, const candidate_state& x) {
  if (x.rejection) return name_of(*x.rejection);
  if (x.broken) return "not judged: the machinery failed";
  if (x.timing()) return "correct, " + standing_of(x.timing()->speedup_eager, grounds_of(job, x));
  return x.correct() ? "correct, not timed" : "not judged to the end";
}

std::string kind_of(const candidate_state& x, const candidate_state* best) {
  if (&x == best) return "best";
  if (x.rejection) return "bad";
  return x.correct() ? "good" : "open";
}

// -- details ----------------------------------------------------------------------------------------------------------

void append(std::vector<labelled>& to, std::vector<labelled> more) { to.insert(to.end(), more.begin(), more.end()); }

std::string compile_line(const compiled& x) {
  auto size = x.size_bytes ? ", " + bytes_text(x.size_bytes) : "";
  return clean_line(x.toolchain, 120) + size + (x.from_cache ? ", from the cache" : "");
}

std::vector<labelled> detail_lines(const job_state& job, const candidate_state& x, const verify_document& judged) {
  std::vector<labelled> out{{"id", clean_line(x.id().value, 80)}};
  if (!x.made.plan.remark.empty()) out.push_back({"plan", clean_line(x.made.plan.remark)});
  if (!job.spec.imported_from.empty()) out.push_back({"imported from", clean_line(job.spec.imported_from)});
  append(out, draws_of(judged));
  if (judged.error) out.push_back({"error", sentence_of(*judged.error)});
  if (judged.timing) {
    append(out, times_of(*judged.timing));
    append(out, speedups_of(*judged.timing, grounds_of(job, x)));
    append(out, shapes_of(*judged.timing));
    if (judged.timing->roofline_share) out.push_back({"roofline", roofline_text(*judged.timing)});
  }
  if (judged.profile) append(out, bottleneck_of(*judged.profile));
  append(out, conditions_of(judged));
  if (auto build = x.found<compiled>(stage_kind::compile)) out.push_back({"compiled by", compile_line(*build)});
  const auto& s = judged.seconds;
  out.push_back({"spent", fmt::format("waiting {}, compile {}, verify {}, time {}", seconds_text(s.queue),
                                      seconds_text(s.compile), seconds_text(s.verify), seconds_text(s.time))});
  std::string gaps;
  for (const auto& gap : not_measured(judged)) gaps += (gaps.empty() ? "" : ", ") + gap;
  if (!gaps.empty()) out.push_back({"not measured", gaps});
  return out;
}

std::vector<std::string> leads_of(const candidate_state& x) {
  std::vector<std::string> out;
  auto found = x.found<statically_checked>(stage_kind::static_check);
  if (!found) return out;
  for (const auto& finding : found->findings)
    if (out.size() < leads_most)
      out.push_back(clean_line(fmt::format("{}:{}: {}", finding.file, finding.line, finding.message), 200));
  return out;
}

/// Path and blob of each source that several of these candidates have, such as headers that their language brings.
using shared_sources = std::map<std::pair<std::string, std::string>, source_file>;

shared_sources shared_by(const std::vector<const candidate_state*>& all) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  shared_sources out;
  for (auto x : all)
    for (const auto& source : x->made.manifest.sources)
      if (std::pair key{source.path, source.blob.value}; ++counts[key] == 2 && out.size() < shared_most)
        out.emplace(key, source);
  return out;
}

code_text source_text(const source_file& source, const blobs::blob_store& blobs, const report_options& options,
                      page_space& space) {
  auto text = blobs.get(source.blob);
  auto path = clean_line(source.path, 160);
  return text ? code_of(path, *text, options, space)
              : code_text{path, "", "Not to be read: " + clean_line(text.error().detail)};
}

/// What is told in place of sources that stand elsewhere or nowhere.
std::string code_note(const std::string& shared, std::size_t more) {
  auto note = shared.empty() ? "" : "With " + shared + ", shown once below. ";
  return more > 0 ? note + fmt::format("{} more sources", more) : note;
}

void add_codes(candidate_details& to, const candidate_state& x, const shared_sources& shared,
               const blobs::blob_store& blobs, const report_options& options, page_space& space) {
  std::string elsewhere;
  std::size_t more = 0;
  for (const auto& source : x.made.manifest.sources) {
    if (shared.contains({source.path, source.blob.value}))
      elsewhere += (elsewhere.empty() ? "" : ", ") + clean_line(source.path, 160);
    else if (to.codes.size() == sources_most)
      ++more;
    else
      to.codes.push_back(source_text(source, blobs, options, space));
  }
  to.code_note = code_note(clean_line(elsewhere, 600), more);
}

candidate_details details_of(const job_state& job, const candidate_state& x) {
  candidate_details out;
  auto judged = logic::verify_document_of(job, x);
  if (x.rejection) out.evidence = evidence_of(*x.rejection);
  out.leads = leads_of(x);
  out.lines = detail_lines(job, x, judged);
  return out;
}

// -- which are unfolded -----------------------------------------------------------------------------------------------

/// The most telling first, so that they have their code where not all can.
std::vector<const candidate_state*> unfolded(const job_state& job, const report_options& options) {
  std::vector<const candidate_state*> order;
  if (job.best()) order.push_back(job.best());
  auto best = fastest(job);
  order.insert(order.end(), best.begin(), best.begin() + std::min(best.size(), options.unfolded_best));
  bool all = job.candidates.size() <= options.unfolded;
  std::size_t rejected = 0;
  for (const auto& x : job.candidates)
    if (all || (x.rejection && rejected++ < options.unfolded_rejected)) order.push_back(&x);
  std::set<const candidate_state*> seen;
  std::erase_if(order, [&](auto x) { return !seen.insert(x).second; });
  return order;
}

candidate_entry entry_of(const job_state& job, const candidate_state& x, const numbering& numbers) {
  auto number = numbers.at(x.id());
  auto best = job.best();
  candidate_entry out{.number = number, .id = clean_line(x.id().value.substr(0, 10))};
  out.origin = word_of(x.made.manifest.origin);
  out.parents = parents_of(x, numbers);
  out.knobs = knobs_of(x.made.manifest.knobs);
  out.verdict = (&x == best ? "best: " : "") + verdict_of(job, x);
  out.kind = kind_of(x, best);
  if (auto times = x.timing(); times && x.correct()) {
    out.time = duration_text(times->candidate_ms.median);
    out.speedup = ratio_text(times->speedup_eager.value);
    out.interval = interval_text(times->speedup_eager);
  }
  std::chrono::milliseconds spent{0};
  for (const auto& [kind, result] : x.results) spent += result.queued + result.elapsed;
  out.seconds = seconds_text(std::chrono::duration<double>(spent).count());
  return out;
}

std::string left_out_text(std::size_t rows_missing, std::size_t folded) {
  std::string out;
  if (rows_missing > 0) out += fmt::format("{} more candidates have no row here. ", rows_missing);
  if (folded > 0)
    out += fmt::format("Code and details are kept for the fastest and the first rejected ones; {} have none here. ",
                       folded);
  return out;
}

}  // namespace

candidate_table candidates_of(const job_state& job, const blobs::blob_store& blobs, const report_options& options,
                              page_space& space) {
  candidate_table out;
  numbering numbers;
  for (const auto& x : job.candidates) numbers.emplace(x.id(), numbers.size() + 1);
  std::map<const candidate_state*, candidate_details> details;
  auto shown = unfolded(job, options);
  shown.resize(page_space::take(space.unfolded, shown.size()));
  auto shared = shared_by(shown);
  for (const auto& [key, source] : shared) out.shared.push_back(source_text(source, blobs, options, space));
  for (auto x : shown)
    add_codes(details.emplace(x, details_of(job, *x)).first->second, *x, shared, blobs, options, space);
  auto rows = page_space::take(space.rows, job.candidates.size());
  for (const auto& x : job.candidates) {
    auto kept = details.find(&x);
    if (out.entries.size() >= rows && kept == details.end()) continue;
    out.entries.push_back(entry_of(job, x, numbers));
    if (kept != details.end()) out.entries.back().details = std::move(kept->second);
  }
  out.left_out = left_out_text(job.candidates.size() - out.entries.size(), job.candidates.size() - details.size());
  return out;
}

}  // namespace actors::report
