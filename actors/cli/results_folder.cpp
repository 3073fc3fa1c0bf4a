#include "actors/cli/results_folder.hpp"

#include <cerrno>
#include <utility>

#include "configs/writable.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// A place that can't be is a wrong value of a flag.
failure_code code_of_place(const std::error_code& why) {
  for (auto disk : {ENOSPC, EDQUOT, EIO})
    if (why.value() == disk) return failure_code::storage;
  return failure_code::bad_input;
}

/// That are not there, the deepest first.
std::vector<fs::path> missing_folders(fs::path folder) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (; !folder.empty() && !fs::exists(folder, error) && folder != folder.root_path(); folder = folder.parent_path())
    missing.push_back(folder);
  return missing;
}

}  // namespace

expected<results_folder> results_folder::prepare(const fs::path& folder) {
  results_folder made{missing_folders(folder)};
  std::error_code error;
  fs::create_directories(folder, error);
  auto why = error ? error : configs::why_not_writable(folder);
  if (!why) return made;
  return fail(code_of_place(why), "results can't be written to " + folder.string() + ": " + why.message()
                                      + "; name another folder with --out");
}

results_folder::results_folder(results_folder&& other) noexcept : made_(std::exchange(other.made_, {})) {}

results_folder::~results_folder() {
  std::error_code error;
  for (const auto& folder : made_) fs::remove(folder, error);  // refuses what is not empty
}

expected<void> check_place(const fs::path& file) {
  auto why = configs::why_not_writable(file.parent_path());
  if (!why) return {};
  return fail(code_of_place(why),
              "cannot write " + file.string() + ": " + why.message() + "; name another place with --out");
}

}  // namespace actors::cli
