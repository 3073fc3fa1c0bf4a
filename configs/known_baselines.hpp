#pragma once
// Names that judges know; for configs and the command line alike.

#include <string>
#include <vector>

namespace configs {

/// What candidates can be timed beside.
inline std::vector<std::string> known_baselines() { return {"eager", "compile"}; }

/// How strictly the arithmetic is judged.
inline std::vector<std::string> judge_policies() { return {"as_shipped", "strict"}; }

}  // namespace configs
