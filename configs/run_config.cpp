#include "configs/run_config.hpp"

#include "configs/bounded_file.hpp"
#include "configs/options_checker.hpp"
#include "configs/run_keys.hpp"
#include "configs/section_reader.hpp"

namespace configs {

namespace fs = std::filesystem;

messages::expected<void> run_config::validate(const known_names& known) const { return check_options(*this, known); }

messages::expected<run_config> parse_run_config(std::string text, const fs::path& file, const known_names& known) {
  auto config = read_yaml<run_config>(text, file.string(), known);
  if (!config) return config;
  if (config->variants.empty()) config->variants.push_back(config->shared);
  config->file = file;
  config->text = std::move(text);
  return config;
}

messages::expected<run_config> load_run_config(const fs::path& file, const known_names& known) {
  auto text = read_file({.path = file,
                         .what = "config",
                         .limit_bytes = yaml_limits{}.bytes,
                         .code = messages::failure_code::misconfigured});
  if (!text) return tl::unexpected{text.error()};
  return parse_run_config(*std::move(text), file, known);
}

messages::expected<system_config> system_of(const run_config& config, const fs::path& systems,
                                            const known_names& known) {
  if (auto* written = std::get_if<system_config>(&config.system)) {
    auto system = *written;
    anchor_paths(system, config.base());
    return system;
  }
  auto file = system_file(std::get<std::string>(config.system), config.base(), systems);
  if (!file) return tl::unexpected{file.error()};
  return load_system_config(*file, known);
}

}  // namespace configs
