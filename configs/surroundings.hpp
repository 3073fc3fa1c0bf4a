#pragma once
// What the process was started in: passed in, so that whatever depends on it can be tested.

#include <filesystem>
#include <functional>
#include <string>

namespace configs {

struct surroundings {
  std::function<std::string(const std::string& name)> variable;  ///< of the environment; empty where it is not set
  std::filesystem::path executable;                              ///< of this process

  static surroundings of_this_process();
};

}  // namespace configs
