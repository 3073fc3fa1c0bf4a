#include "actors/logic/search_round.hpp"

namespace actors::logic {

using namespace messages;

namespace {

/// After so many infrastructure failures in one job more of them are no accident.
constexpr std::uint32_t most_failed_stages = 3;

question_id variation_question(const candidate_id& parent, std::uint32_t k) {
  return {"vary/" + parent.value + '/' + std::to_string(k)};
}
question_id debug_question(const candidate_id& candidate) { return {"debug/" + candidate.value}; }

}  // namespace

question_id code_question(const plan& x) { return {"code/" + content_hash(x)}; }

std::vector<action> search_round::decide() {
  if (!job_.plans) {
    want(planner_question());
    return std::move(actions_);
  }
  if (job_.plans->plans.empty()) return {finish("exhausted", job_.plans->remark)};
  for (const auto& candidate : job_.candidates) go_on_with(candidate);
  count_open_questions();
  auto stop = reason_to_stop();
  if (stop.empty()) start_more();
  if (live_ > 0) return std::move(actions_);
  return end(stop.empty() ? "exhausted" : stop);
}

std::vector<action> search_round::end(const std::string& stop) {
  auto stage = second_timing(job_);
  if (!stage) return {finish(stop, remark())};
  want(*stage);
  return std::move(actions_);
}

void search_round::want(action x) {
  if (!open_.contains(key_of(x))) actions_.push_back(std::move(x));
}

/// The next stage, or the debugger's question after a rejection.
void search_round::go_on_with(const candidate_state& candidate) {
  if (auto stage = stage_after(candidate)) {
    ++live_;
    want(*stage);
  } else if (candidate.rejection && worth_a_repair(candidate)
             && !job_.replies.contains(debug_question(candidate.id()))) {
    ++live_;
    want(ask_debugger{debug_question(candidate.id()), candidate.id(), repairs_before(candidate)});
  }
}

/// A line is what one debugger's advice led to after another.
std::uint32_t search_round::repairs_before(const candidate_state& candidate) const {
  std::uint32_t count = 0;
  auto at = &candidate;
  while (at && count <= job_.spec.strategy.repairs) {
    at = repaired_from(*at);
    count += at != nullptr;
  }
  return count;
}

const candidate_state* search_round::repaired_from(const candidate_state& candidate) const {
  for (const auto& parent : candidate.made.manifest.parents)
    if (auto known = job_.find(parent); known && known->rejection) return known;
  return nullptr;
}

bool search_round::worth_a_repair(const candidate_state& candidate) const {
  return !job_.best() && repairs_before(candidate) < job_.spec.strategy.repairs;
}

void search_round::count_open_questions() {
  for (const auto& key : open_)
    if (key.starts_with("code/") || key.starts_with("vary/")) ++live_, ++asked_;
}

std::string search_round::reason_to_stop() const {
  const auto& limits = job_.spec.strategy;
  auto best = job_.best();
  auto times = best ? best->timing() : nullptr;
  bool near = times && times->roofline_share.value_or(0) >= limits.enough_roofline_share;
  if (near && !beats_roofline(*times)) return "roofline";
  if (best && !job_.spec.time) return "evaluations";
  if (job_.candidates.size() >= limits.evaluations) return "evaluations";
  if (best && job_.since_gain >= limits.patience) return "patience";
  if (job_.failed_stages >= most_failed_stages) return std::string{stopped_by_infrastructure};
  return {};
}

bool search_round::full() const { return live_ >= job_.spec.strategy.width || enough_evaluations(); }

bool search_round::enough_evaluations() const {
  return job_.candidates.size() + asked_ >= job_.spec.strategy.evaluations;
}

void search_round::start_more() {
  for (const auto& candidate : job_.candidates) start_repair_of(candidate);
  for (const auto& plan : job_.plans->plans) start(ask_coder{code_question(plan), plan, std::nullopt, 0});
  if (auto best = job_.best(); best && !full()) improve(*best);
}

void search_round::start(ask_coder question) {
  if (full() || open_.contains(question.question.value) || job_.replies.contains(question.question)) return;
  ++live_;
  ++asked_;
  actions_.emplace_back(std::move(question));
}

void search_round::start_repair_of(const candidate_state& candidate) {
  auto reply = job_.replies.find(debug_question(candidate.id()));
  if (reply == job_.replies.end() || job_.best()) return;
  auto advice = std::get_if<debug_reply>(&reply->second.reply);
  auto change = advice ? std::get_if<change_knobs>(&advice->advice) : nullptr;
  if (change) start(ask_coder{code_question(change->plan), change->plan, candidate.id(), 0});
}

/// The coder is asked for one variation after another until it has no more.
void search_round::vary(const candidate_state& best) {
  for (std::uint32_t k = 1; !full(); ++k) {
    auto question = variation_question(best.id(), k);
    if (open_.contains(question.value)) continue;
    auto known = job_.replies.find(question);
    if (known == job_.replies.end())
      start(ask_coder{question, best.made.plan, best.id(), k});
    else if (auto reply = std::get_if<code_reply>(&known->second.reply); !reply || !reply->manifest)
      return;
  }
}

std::string search_round::remark() const {
  if (job_.best()) return {};
  if (job_.failed_stages > 0) return job_.last_failure;
  if (job_.candidates.empty()) return first_remark();
  for (const auto& candidate : job_.candidates)
    if (candidate.rejection) return "no candidate was correct; the first failed with: " + candidate.rejection->message;
  return "no candidate was correct";
}

std::string search_round::first_remark() const {
  for (const auto& [question, received] : job_.replies)
    if (auto reply = std::get_if<code_reply>(&received.reply)) return reply->remark;
  return "no candidate was written";
}

finish_job search_round::finish(std::string stopped_by, std::string remark) const {
  auto best = job_.best();
  if (!best && job_.failed_stages > 0) stopped_by = stopped_by_infrastructure;
  return {{best ? std::optional{best->id()} : std::nullopt, std::move(stopped_by), std::move(remark)}};
}

}  // namespace actors::logic
