#include "configs/python_search.hpp"

#include <unistd.h>

#include "configs/wording.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

const std::string remedy =
    "run scripts/quickstart, or point to a Python that has torch>=2.4, numpy, pyzmq and msgpack with --python";

bool runnable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Empty if it is not there.
fs::path on_path(const std::string& name, const surroundings& around) {
  auto folders = around.variable("PATH");
  for (std::size_t begin = 0; begin <= folders.size();) {
    auto end = std::min(folders.find(':', begin), folders.size());
    if (end > begin)
      if (auto path = fs::path{folders.substr(begin, end - begin)} / name; runnable(path)) return path;
    begin = end + 1;
  }
  return {};
}

/// What the user wrote; a folder of a virtual environment means its interpreter.
fs::path named(const std::string& text, const surroundings& around) {
  if (text.find('/') == std::string::npos)
    if (auto found = on_path(text, around); !found.empty()) return found;
  if (fs::path inner = fs::path{text} / "bin" / "python"; runnable(inner)) return fs::absolute(inner);
  return fs::absolute(text);
}

}  // namespace

std::vector<python_place> python_places(const std::string& flag, const std::string& configured,
                                        const install_paths& install, const surroundings& around) {
  std::vector<python_place> places;
  if (!flag.empty()) places.push_back({named(flag, around), "--python", true});
  if (!configured.empty()) places.push_back({named(configured, around), "worker.python", true});
  auto add = [&](const fs::path& path, const std::string& by) {
    if (runnable(path)) places.push_back({path, by});
  };
  if (auto folder = around.variable("VIRTUAL_ENV"); !folder.empty())
    add(fs::path{folder} / "bin/python", "$VIRTUAL_ENV");
  add(install.own_python(), "kernelmesh's own .venv");
  add(on_path("python3", around), "python3 on PATH");
  return places;
}

messages::expected<found_python> find_python(const std::vector<python_place>& places, const python_checker& check) {
  std::string tried;
  for (auto& place : places) {
    if (place.by_user && !runnable(place.path))
      return fail(failure_code::misconfigured, "the Python " + place.path.string() + " (" + place.named_by
                                                   + ") is no program that can be run; " + remedy);
    auto report = check(place.path);
    if (report) return found_python{place, *std::move(report)};
    if (place.by_user) return tl::unexpected{report.error()};
    auto why = report.error().detail;
    tried += (tried.empty() ? "" : "; ") + place.named_by + ": " + why.substr(0, why.rfind("; run scripts/quickstart"));
  }
  if (tried.empty()) return fail(failure_code::misconfigured, "no Python was found; " + remedy);
  return fail(failure_code::misconfigured, "no Python can run workers (" + tried + "); " + remedy);
}

}  // namespace configs
