#pragma once
// A candidate from outside: a Python file with `ModelNew`, or a folder with manifest.json (dsl/FORMS.md) and sources.

#include <cstdint>
#include <filesystem>

#include "messages/blobs/blob_store.hpp"
#include "messages/records/candidate.hpp"

namespace configs {

struct candidate_limits {
  std::uint64_t python_bytes = 4u << 20;
  std::uint64_t manifest_bytes = 1u << 20;
  std::uint64_t source_bytes = 16u << 20;  ///< one source of a folder
  std::uint64_t total_bytes = 64u << 20;   ///< all of them
  std::size_t sources = 256;
};

/// The sources lie in the store, the origin is `imported`. Of a folder only what the manifest lists is read, and
/// nothing that lies outside it. Failures, one sentence each with the path and what to do: bad_input, storage.
messages::expected<messages::candidate_manifest> read_candidate(const std::filesystem::path& path,
                                                                const blobs::blob_store& blobs,
                                                                const candidate_limits& limits = {});

}  // namespace configs
