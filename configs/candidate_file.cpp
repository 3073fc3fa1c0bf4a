#include "configs/candidate_file.hpp"

#include <algorithm>
#include <set>

#include "configs/bounded_file.hpp"
#include "configs/task_file.hpp"
#include "configs/wording.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::candidate_manifest;
using messages::fail;
using messages::failure_code;

namespace {

messages::expected<candidate_manifest> read_python(const fs::path& file, const blobs::blob_store& blobs,
                                                   const candidate_limits& limits) {
  auto code = read_file({.path = file, .what = "candidate", .limit_bytes = limits.python_bytes});
  if (!code) return tl::unexpected{code.error()};
  if (!mentions(*code, "ModelNew"))
    return fail(failure_code::bad_input,
                "the candidate " + file.string() + " has no class \"ModelNew\"; name the kernel's torch.nn.Module so");
  auto blob = blobs.put(*code);
  if (!blob) return tl::unexpected{blob.error()};
  // Under a fixed name, so that equal programs are one candidate whatever their files are called.
  messages::python_host_entry entry;
  return candidate_manifest{.dsl = "imported",
                            .entry = entry,
                            .sources = {{.path = entry.file, .blob = *blob}},
                            .origin = messages::candidate_origin::imported};
}

/// Relative, one way to write it, downward only.
bool safe_path(const std::string& path) {
  fs::path x{path};
  return !path.empty() && path.size() <= 256 && valid_utf8(path) && path.find('\0') == std::string::npos
         && x.is_relative() && x.lexically_normal().string() == path && x.has_filename()
         && std::none_of(x.begin(), x.end(), [](auto& part) { return part == ".." || part == "."; });
}

/// The source that the entry names; empty where it names none.
std::string entry_file(const messages::candidate_entry& entry) {
  if (auto* x = std::get_if<messages::python_host_entry>(&entry)) return x->file;
  if (auto* x = std::get_if<messages::launch_record_entry>(&entry)) return x->record;
  return {};
}

/// What is wrong with what the manifest says; empty if nothing.
std::string problem_of(const candidate_manifest& x, const candidate_limits& limits) {
  if (x.version != 1)
    return "is of version " + std::to_string(x.version)
           + ", and this kernelmesh reads version 1; use a newer kernelmesh";
  if (safe_name(x.dsl) != x.dsl) return "needs \"dsl\", the name of the language that it is written in";
  if (x.sources.empty()) return "lists no \"sources\"; list each file with its \"path\"";
  if (x.sources.size() > limits.sources)
    return "lists " + std::to_string(x.sources.size()) + " sources; at most " + std::to_string(limits.sources)
           + " are allowed";
  std::set<std::string> seen;
  for (auto& source : x.sources) {
    if (!safe_path(source.path))
      return "names the source " + in_quotes(source.path) + "; paths must be relative, without \"..\"";
    if (!seen.insert(source.path).second) return "lists " + in_quotes(source.path) + " twice; remove one of them";
  }
  auto file = entry_file(x.entry);
  if (!file.empty() && !seen.contains(file))
    return "has the entry " + in_quotes(file) + ", which is not among its sources; add it there";
  return {};
}

messages::expected<candidate_manifest> read_manifest(const fs::path& folder, const candidate_limits& limits) {
  auto file = folder / "manifest.json";
  if (std::error_code error; !fs::exists(fs::symlink_status(file, error)))
    return fail(failure_code::bad_input, "the candidate folder " + folder.string()
                                             + " has no manifest.json; add one, or name a Python file with ModelNew");
  auto text = read_file({.path = file, .what = "manifest", .limit_bytes = limits.manifest_bytes, .inside = folder});
  if (!text) return tl::unexpected{text.error()};
  auto manifest = wire::from_json<candidate_manifest>(*text);
  if (!manifest)
    return fail(failure_code::bad_input, "the manifest " + file.string() + " can't be read: "
                                             + to_string(manifest.error()) + "; its form is in dsl/FORMS.md");
  if (auto problem = problem_of(*manifest, limits); !problem.empty())
    return fail(failure_code::bad_input, "the manifest " + file.string() + " " + problem);
  return *std::move(manifest);
}

messages::expected<void> store_source(messages::source_file& source, const fs::path& folder, std::uint64_t limit,
                                      std::uint64_t& total, const blobs::blob_store& blobs) {
  auto bytes = read_file(
      {.path = folder / source.path, .what = "source", .limit_bytes = limit, .text = false, .inside = folder});
  if (!bytes) return tl::unexpected{bytes.error()};
  total += bytes->size();
  auto blob = blobs.put(*bytes);
  if (!blob) return tl::unexpected{blob.error()};
  if (!source.blob.value.empty() && source.blob != *blob)
    return fail(failure_code::bad_input, "the source " + (folder / source.path).string()
                                             + " is not what its manifest says (\"blob\"); copy the folder again, or "
                                               "remove \"blob\"");
  source.blob = *blob;
  return {};
}

messages::expected<candidate_manifest> read_folder(const fs::path& folder, const blobs::blob_store& blobs,
                                                   const candidate_limits& limits) {
  auto manifest = read_manifest(folder, limits);
  if (!manifest) return manifest;
  std::uint64_t total = 0;
  for (auto& source : manifest->sources) {
    auto limit = std::min(limits.source_bytes, limits.total_bytes);
    if (auto stored = store_source(source, folder, limit, total, blobs); !stored) return tl::unexpected{stored.error()};
    if (total > limits.total_bytes)
      return fail(failure_code::bad_input, "the sources of the candidate " + folder.string() + " are larger than "
                                               + worded_size(limits.total_bytes) + "; leave out what it does not need");
  }
  manifest->plan = {};
  manifest->parents.clear();
  manifest->origin = messages::candidate_origin::imported;
  return manifest;
}

}  // namespace

messages::expected<candidate_manifest> read_candidate(const fs::path& path, const blobs::blob_store& blobs,
                                                      const candidate_limits& limits) {
  std::error_code error;
  return fs::is_directory(path, error) ? read_folder(path, blobs, limits) : read_python(path, blobs, limits);
}

}  // namespace configs
