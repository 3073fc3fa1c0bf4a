#pragma once
// Which Python the workers use.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "configs/install_paths.hpp"
#include "configs/python_check.hpp"

namespace configs {

struct python_place {
  std::filesystem::path path;
  std::string named_by;  ///< "--python", "worker.python", "$VIRTUAL_ENV", ...
  bool by_user = false;  ///< the user named it: it is used or refused, never passed over
};

struct found_python {
  python_place place;
  python_report report;
};

/// In this order: --python, worker.python, $VIRTUAL_ENV, <root>/.venv, python3 on PATH; those only that exist, but what
/// was named by the user always. A name without '/' is looked up on PATH.
std::vector<python_place> python_places(const std::string& flag, const std::string& configured,
                                        const install_paths& install, const surroundings& around);

using python_checker = std::function<messages::expected<python_report>(const std::filesystem::path&)>;

/// The first of them that can run workers; one that the user named is the only one that is asked. Failure:
/// misconfigured, one sentence with what each lacks and the remedy.
messages::expected<found_python> find_python(const std::vector<python_place>& places, const python_checker& check);

}  // namespace configs
