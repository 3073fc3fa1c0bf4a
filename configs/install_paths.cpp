#include "configs/install_paths.hpp"

#include <cstdlib>

namespace configs {

namespace fs = std::filesystem;

namespace {

bool complete(const install_paths& x) {
  std::error_code error;
  return fs::is_regular_file(x.systems() / "local.yaml", error) && fs::is_regular_file(x.check_python(), error);
}

}  // namespace

surroundings surroundings::of_this_process() {
  std::error_code error;
  return {.variable =
              [](const std::string& name) {
                auto* value = std::getenv(name.c_str());
                return std::string{value ? value : ""};
              },
          .executable = fs::read_symlink("/proc/self/exe", error)};
}

messages::expected<install_paths> find_install(const surroundings& around) {
  if (auto root = around.variable("KERNELMESH_ROOT"); !root.empty()) {
    install_paths named{fs::absolute(root).lexically_normal()};
    if (complete(named)) return named;
    return messages::fail(messages::failure_code::misconfigured,
                          "KERNELMESH_ROOT is " + root + ", and no configs/system/local.yaml lies there; set it to the "
                          "folder of the kernelmesh checkout, or unset it");
  }
  auto folder = around.executable.parent_path();
  for (auto& root : {folder.parent_path().parent_path(), folder.parent_path() / "share" / "kernelmesh"})
    if (install_paths found{root}; complete(found)) return found;
  return messages::fail(messages::failure_code::misconfigured,
                        "kernelmesh's own files (configs/, dsl/, devices/worker/) were not found from "
                            + around.executable.string() + "; set KERNELMESH_ROOT to the folder that holds them");
}

}  // namespace configs
