#pragma once
// Names that other folders define and a config only mentions. Whoever reads a config passes what is built in and what
// lies in the install; an empty list takes any name.

#include <string>
#include <vector>

namespace configs {

struct known_names {
  std::vector<std::string> device_kinds;     ///< "cpu", "cuda", "simulated"
  std::vector<std::string> dsls;             ///< "cpp"
  std::vector<std::string> strategies;       ///< "refine"
  std::vector<std::string> implementations;  ///< of agents: "rules"
};

}  // namespace configs
