#include "configs/system_config.hpp"

#include <sstream>

#include "configs/bounded_file.hpp"
#include "configs/options_checker.hpp"
#include "configs/section_reader.hpp"
#include "configs/system_keys.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::stage_kind;

namespace {

/// The member that the kind names, of any struct with one for each.
template <class T>
auto by_kind(const T& x, stage_kind kind) {
  switch (kind) {
    case stage_kind::trace: return x.trace;
    case stage_kind::static_check: return x.static_check;
    case stage_kind::compile: return x.compile;
    case stage_kind::verify: return x.verify;
    case stage_kind::time: return x.time;
    case stage_kind::profile: return x.profile;
  }
  return x.trace;
}

std::vector<std::string> names_in(const fs::path& systems) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it{systems, error}, end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".yaml") names.push_back(it->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

double simulated_latency::of(stage_kind kind) const { return by_kind(*this, kind); }
std::chrono::milliseconds run_limits::of(stage_kind kind) const { return by_kind(*this, kind); }

std::vector<std::string> sandbox_options::readable_paths() const {
  std::vector<std::string> paths;
  std::istringstream list{readable};
  for (std::string path; std::getline(list, path, ':');)
    if (!path.empty()) paths.push_back(path);
  return paths;
}

messages::expected<void> system_config::validate(const known_names& known) const { return check_options(*this, known); }

std::string kind_of(std::string_view device) { return std::string{device.substr(0, device.find(':'))}; }

messages::expected<fs::path> system_file(const std::string& name, const fs::path& base, const fs::path& systems) {
  if (name.find('/') != std::string::npos || name.ends_with(".yaml")) return base / name;
  auto names = names_in(systems);
  if (std::find(names.begin(), names.end(), name) != names.end()) return systems / (name + ".yaml");
  return messages::fail(messages::failure_code::misconfigured,
                        "no system config is called " + in_quotes(name) + " in " + systems.string()
                            + suggestion(name, names, "there are") + " (or give a path that ends in \".yaml\")");
}

void anchor_paths(system_config& config, const fs::path& base) {
  auto anchor = [&](std::string& path) { path = (base / path).lexically_normal().string(); };
  if (!config.state_folder.empty()) anchor(config.state_folder);
  if (config.worker.python.find('/') != std::string::npos) anchor(config.worker.python);
  for (auto& [name, x] : config.llm.providers)
    for (auto* file : {&x.key_file, &x.ca_file})
      if (!file->empty()) anchor(*file);
  for (auto& table : config.llm.facts) anchor(table);
}

messages::expected<system_config> load_system_config(const fs::path& file, const known_names& known) {
  auto text = read_file({.path = file,
                         .what = "system config",
                         .limit_bytes = yaml_limits{}.bytes,
                         .code = messages::failure_code::misconfigured});
  if (!text) return tl::unexpected{text.error()};
  auto config = read_yaml<system_config>(*text, file.string(), known);
  if (config) anchor_paths(*config, file.parent_path());
  return config;
}

}  // namespace configs
