#pragma once
// One line of repair and improvement: the planner's plans in their order, what the debugger makes of those that fail,
// then variations of the best, several candidates under way at once.

#include "actors/logic/strategy.hpp"

namespace actors::logic {

class refine_strategy : public strategy {
public:
  std::vector<action> ask(const job_state& job, const open_actions& open) const override;
};

}  // namespace actors::logic
