#include "actors/logic/imported.hpp"

namespace actors::logic {

std::vector<action> imported_strategy::ask(const job_state& job, const open_actions& open) const {
  if (job.candidates.empty())
    return open.contains("adopt") ? std::vector<action>{} : std::vector<action>{adopt_imported{}};
  const auto& candidate = job.candidates.front();
  if (auto stage = next_stage(job, candidate)) {
    if (open.contains(stage->stage.value)) return {};
    return {*stage};
  }
  auto best = job.best();
  auto id = best ? std::optional{best->id()} : std::nullopt;
  if (candidate.broken) return {finish_job{{id, std::string{stopped_by_infrastructure}, job.last_failure}}};
  return {finish_job{{id, "evaluations", candidate.rejection ? candidate.rejection->message : ""}}};
}

}  // namespace actors::logic
