#ifndef KERNELMESH_MESSAGES_WIRE_READER_HPP
#define KERNELMESH_MESSAGES_WIRE_READER_HPP

#include <limits>
#include <optional>

#include "messages/wire/document.hpp"

namespace wire {

/// State of reading one message.
struct reading {
  bool from_json = false;
  std::size_t memory_left = 0;
  std::optional<error> failure;  ///< the first
};

/// One value of a document and the way to it. A getter that finds another kind or a number out of range records path
/// and problem in `reading` and returns false. Lives on the stack, inside the life of the reader of the value around
/// it.
class reader {
public:
  reader(const node& at, reading& state) : at_(&at), state_(&state) {}

  bool nil() const { return at_->kind == kind::nil; }
  bool is_text() const { return at_->kind == kind::text; }
  bool get(bool& x) const;
  bool get(double& x) const;
  bool get(std::string_view& x) const;  ///< borrows from the document
  bool get(bytes_view& x) const;        ///< borrows; not from JSON
  bool get(bytes& x) const;
  bool get_positive(std::uint64_t& x, std::uint64_t highest) const;
  bool get_integer(std::int64_t& x, std::int64_t lowest, std::int64_t highest) const;

  /// Is it an array (a map), and is there memory for `size()` elements of so many bytes?
  bool array(std::size_t element_bytes) const;
  bool map(std::size_t pair_bytes) const;
  std::size_t size() const { return at_->size; }

  /// Calls `f(reader)` for each element until one returns false.
  template <class F>
  bool each_element(F f) const {
    auto at = at_ + 1;
    for (std::uint32_t i = 0; i < at_->size; ++i, at += at->extent)
      if (!f(reader{*this, *at, {}, i})) return false;
    return true;
  }

  /// Calls `f(key, reader)` for each pair until one returns false.
  template <class F>
  bool each_pair(F f) const {
    auto key = at_ + 1;
    for (std::uint32_t i = 0; i < at_->size; ++i) {
      auto value = key + key->extent;
      if (key->kind != kind::text) return mismatch("string as key", *key);
      if (!f(key->text(), reader{*this, *value, key->text(), 0})) return false;
      key = value + value->extent;
    }
    return true;
  }

  bool fail(std::string problem) const;

private:
  friend class member_reader;
  reader(const reader& outer, const node& at, std::string_view key, std::uint32_t index)
      : at_(&at), outer_(&outer), key_(key), index_(index), state_(outer.state_) {}
  bool mismatch(const char* wanted) const { return mismatch(wanted, *at_); }
  bool mismatch(const char* wanted, const node& got) const;
  bool charge(std::size_t element_bytes) const;
  std::string path() const;

  const node* at_;
  const reader* outer_ = nullptr;
  std::string_view key_;
  std::uint32_t index_ = 0;
  reading* state_;
};

/// Finds the members of a map by name: one comparison each if they come in the order asked for. Of two equal keys
/// either may be found.
class member_reader {
public:
  explicit member_reader(const reader& map) : map_(map), next_(map.at_ + 1) {}
  std::optional<reader> find(std::string_view name);

private:
  const reader& map_;
  const node* next_;
};

}  // namespace wire

#endif
