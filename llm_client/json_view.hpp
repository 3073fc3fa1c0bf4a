#pragma once
// Reading what servers say of themselves: every getter has an answer, whatever is there. What is absent, null or of
// another kind is an empty view, "", or nothing; servers differ in all of these.

#include <cstdint>
#include <optional>
#include <string_view>

#include "messages/wire/document.hpp"

namespace llm_client {

/// One value of a document, which must outlive it; empty where there is none.
class json_view {
public:
  json_view() = default;
  explicit json_view(const wire::document& doc) : at_(doc.nodes.empty() ? nullptr : doc.nodes.data()) {}
  explicit json_view(const wire::node* at) : at_(at) {}

  explicit operator bool() const { return at_ != nullptr && at_->kind != wire::kind::nil; }
  bool is(wire::kind kind) const { return at_ != nullptr && at_->kind == kind; }
  bool is_object() const { return is(wire::kind::map); }
  bool is_array() const { return is(wire::kind::array); }
  bool is_text() const { return is(wire::kind::text); }

  /// The member of that name; of two equal names the first.
  json_view operator[](std::string_view name) const;
  json_view first() const;  ///< of an array

  std::string_view text() const { return is_text() ? at_->text() : std::string_view{}; }
  std::optional<std::uint64_t> count() const;  ///< an integer from 0 on, also one written as 12.0
  bool boolean() const { return is(wire::kind::boolean) && at_->bits != 0; }
  /// A text, or a number as a text: codes of errors are either.
  std::string word() const;

  std::size_t size() const { return is_array() || is_object() ? at_->size : 0; }

  template <class F>
  void each(F f) const {
    if (!is_array()) return;
    auto at = at_ + 1;
    for (std::uint32_t i = 0; i < at_->size; ++i, at += at->extent) f(json_view{at});
  }
  template <class F>
  void each_member(F f) const {
    if (!is_object()) return;
    auto key = at_ + 1;
    for (std::uint32_t i = 0; i < at_->size; ++i) {
      auto value = key + key->extent;
      f(key->text(), json_view{value});
      key = value + value->extent;
    }
  }

  const wire::node* node() const { return at_; }

private:
  const wire::node* at_ = nullptr;
};

/// @param text what is no UTF-8 in it becomes U+FFFD, and so do halves of characters that are escaped (\ud83d)
wire::expected<wire::document> parse_server_json(std::string_view text);

}  // namespace llm_client
