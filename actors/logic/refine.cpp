#include "actors/logic/refine.hpp"

#include "actors/logic/search_round.hpp"

namespace actors::logic {

namespace {

class round_of_refine final : public search_round {
public:
  using search_round::search_round;

private:
  void improve(const candidate_state& best) override { vary(best); }
};

}  // namespace

std::vector<action> refine_strategy::ask(const job_state& job, const open_actions& open) const {
  return round_of_refine{job, open}.decide();
}

}  // namespace actors::logic
