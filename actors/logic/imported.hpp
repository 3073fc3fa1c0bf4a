#pragma once
// Judges the one candidate that the job names; nothing is searched.

#include "actors/logic/strategy.hpp"

namespace actors::logic {

class imported_strategy : public strategy {
public:
  std::vector<action> ask(const job_state& job, const open_actions& open) const override;
};

}  // namespace actors::logic
