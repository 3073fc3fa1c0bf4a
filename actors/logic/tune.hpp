#pragma once
// As refine, but what is tried next is chosen among all settings of the knobs by what was measured (knob_search), and
// candidates race: a short look first, the whole budget only for those that may be as fast as the best.

#include "actors/logic/strategy.hpp"

namespace actors::logic {

class tune_strategy : public strategy {
public:
  std::vector<action> ask(const job_state& job, const open_actions& open) const override;
};

/// All knobs of a plan, "g0.block", by the spaces of its groups' recipes.
messages::knob_space joint_space(const messages::plan& plan, const std::map<std::string, messages::knob_space>& spaces);

}  // namespace actors::logic
