#include "messages/wire/reader.hpp"

#include <array>

#include "messages/wire/base64.hpp"

namespace wire {

namespace {

constexpr std::array kind_names{"null",   "boolean", "integer", "integer", "number",
                                "string", "bytes",   "array",   "map",     "extension"};

}  // namespace

std::string to_string(const error& e) { return e.path.empty() ? e.problem : e.path + ": " + e.problem; }

// -- failures ---------------------------------------------------------------------------------------------------------

bool reader::fail(std::string problem) const {
  if (!state_->failure) state_->failure = error{path(), std::move(problem)};
  return false;
}

bool reader::mismatch(const char* wanted, const node& got) const {
  return fail(std::string{"expected "} + wanted + ", got " + kind_names[static_cast<std::size_t>(got.kind)]);
}

std::string reader::path() const {
  if (!outer_) return {};
  auto up = outer_->path();
  if (key_.data() == nullptr) return up + '[' + std::to_string(index_) + ']';
  return (up.empty() ? up : up + '.') + std::string{key_.substr(0, 64)};
}

// -- values -----------------------------------------------------------------------------------------------------------

bool reader::get(bool& x) const {
  if (at_->kind != kind::boolean) return mismatch("boolean");
  x = at_->bits != 0;
  return true;
}

bool reader::get_positive(std::uint64_t& x, std::uint64_t highest) const {
  if (at_->kind == kind::negative) return fail(std::to_string(at_->negative()) + " is below 0");
  if (at_->kind != kind::positive) return mismatch("integer");
  if (at_->bits > highest) return fail(std::to_string(at_->bits) + " is above " + std::to_string(highest));
  x = at_->bits;
  return true;
}

bool reader::get_integer(std::int64_t& x, std::int64_t lowest, std::int64_t highest) const {
  if (at_->kind == kind::negative) {
    if (at_->negative() < lowest) return fail(std::to_string(at_->negative()) + " is below " + std::to_string(lowest));
    x = at_->negative();
    return true;
  }
  std::uint64_t wide = 0;
  if (!get_positive(wide, static_cast<std::uint64_t>(highest))) return false;
  x = static_cast<std::int64_t>(wide);
  return true;
}

bool reader::get(double& x) const {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  if (at_->kind == kind::real) return x = at_->real(), true;
  if (at_->kind == kind::positive) return x = static_cast<double>(at_->bits), true;
  if (at_->kind == kind::negative) return x = static_cast<double>(at_->negative()), true;
  if (state_->from_json && at_->is_key("NaN")) return x = std::numeric_limits<double>::quiet_NaN(), true;
  if (state_->from_json && at_->is_key("Infinity")) return x = infinity, true;
  if (state_->from_json && at_->is_key("-Infinity")) return x = -infinity, true;
  return mismatch("number");
}

bool reader::get(std::string_view& x) const {
  if (at_->kind != kind::text) return mismatch("string");
  x = at_->text();
  return true;
}

bool reader::get(bytes_view& x) const {
  if (state_->from_json) return fail("cannot be read from JSON, only from MessagePack");
  if (at_->kind != kind::blob) return mismatch("bytes");
  x = at_->blob();
  return true;
}

bool reader::get(bytes& x) const {
  if (state_->from_json) {
    std::string_view text;
    return get(text) && (base64_decode(text, x) || fail("not base64"));
  }
  bytes_view view;
  if (!get(view)) return false;
  x.assign(view.begin(), view.end());
  return true;
}

// -- arrays and maps --------------------------------------------------------------------------------------------------

bool reader::charge(std::size_t element_bytes) const {
  auto needed = size() * element_bytes;  // 2^32 elements at most: cannot overflow
  if (needed > state_->memory_left) return fail("needs more memory than the limit allows");
  state_->memory_left -= needed;
  return true;
}

bool reader::array(std::size_t element_bytes) const {
  return at_->kind == kind::array ? charge(element_bytes) : mismatch("array");
}

bool reader::map(std::size_t pair_bytes) const { return at_->kind == kind::map ? charge(pair_bytes) : mismatch("map"); }

std::optional<reader> member_reader::find(std::string_view name) {
  const auto begin = map_.at_ + 1, end = map_.at_ + map_.at_->extent;
  for (auto key = next_ != end && next_->is_key(name) ? next_ : begin; key != end;) {
    auto value = key + key->extent, next = value + value->extent;
    if (key->is_key(name)) return next_ = next, reader{map_, *value, name, 0};
    key = next;
  }
  return std::nullopt;
}

}  // namespace wire
