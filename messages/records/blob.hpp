#ifndef KERNELMESH_MESSAGES_RECORDS_BLOB_HPP
#define KERNELMESH_MESSAGES_RECORDS_BLOB_HPP
// Bulk data on its way between two blob stores, in bounded parts.

#include <cstdint>
#include <vector>

#include "messages/records/ids.hpp"
#include "messages/wire/document.hpp"

namespace messages {

inline constexpr std::uint32_t blob_part_bytes = 256u << 10;  ///< most that one message carries
inline constexpr std::uint64_t blob_bytes = 256u << 20;       ///< most that a blob may have to travel
inline constexpr std::uint32_t blob_window = 8;               ///< parts of one blob under way at once

/// Asks for a part of a blob.
struct read_blob {
  static constexpr auto wire_name = "read_blob";
  blob_hash hash;
  std::uint64_t offset = 0;

  void fields(auto& f) {
    f("hash", hash);
    f("offset", offset);
  }
  friend bool operator==(const read_blob&, const read_blob&) = default;
};

/// At most blob_part_bytes from the offset on; none behind the end.
struct blob_part {
  static constexpr auto wire_name = "blob_part";
  std::uint64_t size_bytes = 0;  ///< of the whole blob
  wire::bytes bytes;

  void fields(auto& f) {
    f("size_bytes", size_bytes);
    f("bytes", bytes);
  }
  friend bool operator==(const blob_part&, const blob_part&) = default;
};

/// Brings a part of a blob; parts come in their order, the first with offset 0.
struct write_blob {
  static constexpr auto wire_name = "write_blob";
  node_name node;  ///< the sender
  blob_hash hash;
  std::uint64_t size_bytes = 0;  ///< of the whole blob
  std::uint64_t offset = 0;
  wire::bytes bytes;

  void fields(auto& f) {
    f("node", node);
    f("hash", hash);
    f("size_bytes", size_bytes);
    f("offset", offset);
    f("bytes", bytes);
  }
  friend bool operator==(const write_blob&, const write_blob&) = default;
};

struct blob_written {
  static constexpr auto wire_name = "blob_written";
  bool whole = false;  ///< the blob is in the store; parts that are still to come are not needed

  void fields(auto& f) { f("whole", whole); }
  friend bool operator==(const blob_written&, const blob_written&) = default;
};

// -- inside a node ----------------------------------------------------------------------------------------------------

/// Get these into this node's store.
struct bring_blobs {
  static constexpr auto wire_name = "bring_blobs";
  std::vector<blob_hash> hashes;

  void fields(auto& f) { f("hashes", hashes); }
  friend bool operator==(const bring_blobs&, const bring_blobs&) = default;
};

/// Get these into the coordinator's store.
struct send_blobs {
  static constexpr auto wire_name = "send_blobs";
  std::vector<blob_hash> hashes;

  void fields(auto& f) { f("hashes", hashes); }
  friend bool operator==(const send_blobs&, const send_blobs&) = default;
};

struct blobs_there {
  static constexpr auto wire_name = "blobs_there";
  void fields(auto&) {}
  friend bool operator==(const blobs_there&, const blobs_there&) = default;
};

}  // namespace messages

#endif
