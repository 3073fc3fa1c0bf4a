#include "actors/blob_depot.hpp"

#include <algorithm>
#include <list>
#include <map>

#include "messages/records/content_hash.hpp"

namespace actors {

namespace {

using namespace messages;

/// Blobs that are being read part after part, kept in memory: the last ones that were asked for.
constexpr std::size_t most_open = 4;

/// A node that sends nothing more of a blob for so long has given it up.
constexpr std::chrono::minutes patience{2};

class blob_depot_state {
public:
  using pointer = blob_depot_actor::stateful_pointer<blob_depot_state>;
  static inline const char* name = "blob_depot";

  explicit blob_depot_state(pointer self) : self_(self) {}

  blob_depot_actor::behavior_type start(const blobs::blob_store& store) {
    store_ = store;
    return {[this](const read_blob& x) { return read(x); }, [this](const write_blob& x) { return write(x); }};
  }

private:
  struct open_blob {
    blob_hash hash;
    std::string bytes;
  };
  /// A blob that arrives.
  struct draft {
    std::string bytes;
    std::chrono::steady_clock::time_point touched;
  };
  using sender_and_blob = std::pair<node_name, blob_hash>;

  caf::result<blob_part> read(const read_blob& x) {
    auto bytes = contents(x.hash);
    if (!bytes) return to_error(bytes.error());
    auto size = (*bytes)->size();
    if (size > blob_bytes) return to_error({failure_code::overloaded, "blob " + x.hash.value + " is too large"});
    auto from = static_cast<std::size_t>(std::min<std::uint64_t>(x.offset, size));
    auto length = std::min<std::size_t>(blob_part_bytes, size - from);
    auto first = reinterpret_cast<const std::byte*>((*bytes)->data()) + from;
    return blob_part{size, {first, first + length}};
  }

  expected<const std::string*> contents(const blob_hash& hash) {
    auto known = std::ranges::find(open_, hash, &open_blob::hash);
    if (known == open_.end()) {
      auto bytes = store_->get(hash);
      if (!bytes) return tl::unexpected{bytes.error()};
      open_.push_front({hash, *std::move(bytes)});
      if (open_.size() > most_open) open_.pop_back();
    } else {
      open_.splice(open_.begin(), open_, known);
    }
    return &open_.front().bytes;
  }

  caf::result<blob_written> write(const write_blob& x) {
    sender_and_blob key{x.node, x.hash};
    if (store_->has(x.hash)) {
      drafts_.erase(key);
      return blob_written{true};
    }
    forget_given_up();
    if (auto why = why_not(x)) return to_error(*why);
    auto& into = drafts_[key];
    if (x.offset == 0) into.bytes.clear();  // it begins anew
    into.bytes.append(reinterpret_cast<const char*>(x.bytes.data()), x.bytes.size());
    into.touched = self_->clock().now();
    if (into.bytes.size() < x.size_bytes) return blob_written{};
    return keep(key);
  }

  caf::result<blob_written> keep(const sender_and_blob& key) {
    auto whole = std::move(drafts_.extract(key).mapped().bytes);
    if (content_hash(whole) != key.second.value)
      return to_error({failure_code::unreadable, "what arrived as blob " + key.second.value + " is something else"});
    auto kept = store_->put(whole);
    if (!kept) return to_error(kept.error());
    return blob_written{true};
  }

  std::optional<failure> why_not(const write_blob& x) const {
    auto known = drafts_.find({x.node, x.hash});
    auto there = known == drafts_.end() || x.offset == 0 ? 0 : known->second.bytes.size();
    bool last = x.offset + x.bytes.size() == x.size_bytes;
    if (x.size_bytes > blob_bytes)
      return failure{failure_code::bad_input, "a blob of " + std::to_string(x.size_bytes) + " bytes is too large"};
    if (x.offset != there || x.bytes.size() > blob_part_bytes || x.offset + x.bytes.size() > x.size_bytes
        || (x.bytes.size() < blob_part_bytes && !last))
      return failure{failure_code::bad_input, "parts of blob " + x.hash.value + " are out of order or of a wrong size"};
    if (held_for(x.node) + x.bytes.size() > 2 * blob_bytes)
      return failure{failure_code::overloaded, "node " + x.node.value + " has too many blobs half sent"};
    return std::nullopt;
  }

  std::uint64_t held_for(const node_name& node) const {
    std::uint64_t bytes = 0;
    for (const auto& [key, draft] : drafts_)
      if (key.first == node) bytes += draft.bytes.size();
    return bytes;
  }

  void forget_given_up() {
    auto now = self_->clock().now();
    std::erase_if(drafts_, [&](const auto& x) { return now - x.second.touched > patience; });
  }

  pointer self_;
  std::optional<blobs::blob_store> store_;
  std::list<open_blob> open_;  // last asked first
  std::map<sender_and_blob, draft> drafts_;
};

}  // namespace

blob_depot_actor spawn_blob_depot(caf::actor_system& system, const blobs::blob_store& store,
                                  const blob_depot_options& options) {
  if (options.own_thread) return spawn_state<blob_depot_state, caf::detached>(system, store);
  return spawn_state<blob_depot_state>(system, store);
}

}  // namespace actors
