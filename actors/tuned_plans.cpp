#include "actors/tuned_plans.hpp"

#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <iterator>

#include "messages/wire/wire.hpp"

namespace actors {

using namespace messages;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_file = 16u << 20;

expected<void> replace(const fs::path& file, const std::string& text) {
  auto part = file;
  part += '.' + std::to_string(::getpid()) + ".part";
  std::error_code error;
  if (!(std::ofstream{part, std::ios::binary} << text << std::flush)) {
    fs::remove(part, error);
    return fail(failure_code::storage, "cannot write " + part.string());
  }
  fs::rename(part, file, error);
  if (error) return fail(failure_code::storage, "cannot write " + file.string() + ": " + error.message());
  return {};
}

}  // namespace

tuned_plans_file tuned_plans::read(const fs::path& file) const {
  std::error_code error;
  if (auto size = fs::file_size(file, error); error || size > largest_file) return {};
  std::ifstream in{file, std::ios::binary};
  auto known = wire::from_json<tuned_plans_file>(std::string{std::istreambuf_iterator<char>{in}, {}});
  return known && known->version == 1 ? std::move(*known) : tuned_plans_file{};
}

std::optional<logic::known_plan> tuned_plans::find(const op_graph& graph, const std::string& dsl,
                                                   const device_info& device, const run_id& own) const {
  return logic::choose_earlier(read(folder_ / (logic::tuned_key(graph, dsl, device) + ".json")), graph, own);
}

expected<void> tuned_plans::keep(const op_graph& graph, const std::string& dsl, const device_info& device,
                                 tuned_plan news) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  auto file = folder_ / (logic::tuned_key(graph, dsl, device) + ".json");
  auto known = read(file);
  bool is_new = known.plans.empty();
  news.graph = logic::graph_key(graph);
  news.bytes = static_cast<double>(graph.floor_bytes);
  news.nodes.clear();
  for (const auto& node : graph.nodes) news.nodes.push_back(node.name);
  logic::keep(known, std::move(news), limits_.plans_a_file);
  auto done = replace(file, wire::to_json(known));
  if (done && is_new) drop_oldest();
  return done;
}

void tuned_plans::drop_oldest() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator{folder_, error})
    files.emplace_back(entry.last_write_time(error), entry.path());
  if (files.size() <= limits_.files) return;
  std::ranges::sort(files);
  files.resize(files.size() - limits_.files);
  for (const auto& [time, file] : files) fs::remove(file, error);
}

}  // namespace actors
