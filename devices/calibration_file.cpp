#include "devices/calibration_file.hpp"

#include <algorithm>
#include <fstream>

#include "messages/wire/wire.hpp"

namespace devices {

namespace fs = std::filesystem;
using messages::calibration;
using messages::fail;
using messages::failure_code;

fs::path calibration_file(const fs::path& folder, const messages::device_name& device) {
  auto name = device.value;
  std::ranges::replace(name, ':', '_');
  std::ranges::replace(name, '/', '_');
  return folder / (name + ".json");
}

std::optional<calibration> read_calibration(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return std::nullopt;  // a pipe would hold us up
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto read = wire::from_json<calibration>(text);
  if (!in || !read || read->schema != calibration{}.schema) return std::nullopt;
  return *read;
}

messages::expected<void> write_calibration(const fs::path& file, const calibration& x) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  auto unfinished = file.string() + ".new";
  std::ofstream out{unfinished, std::ios::binary};
  out << wire::to_json(x, {.indent = 2}) << '\n' << std::flush;
  if (out) fs::rename(unfinished, file, error);
  if (out && !error) return {};
  return fail(failure_code::storage, "the calibration " + file.string() + " can't be written");
}

}  // namespace devices
