#include "llm_client/json_view.hpp"

#include <charconv>
#include <cmath>

#include "llm_client/utf8.hpp"

namespace llm_client {

json_view json_view::operator[](std::string_view name) const {
  json_view found;
  each_member([&](std::string_view key, json_view value) {
    if (found.at_ == nullptr && key == name) found = value;
  });
  return found;
}

json_view json_view::first() const { return is_array() && at_->size > 0 ? json_view{at_ + 1} : json_view{}; }

std::optional<std::uint64_t> json_view::count() const {
  if (is(wire::kind::positive)) return at_->bits;
  if (is(wire::kind::real) && at_->real() >= 0 && at_->real() < 9e15 && std::floor(at_->real()) == at_->real())
    return static_cast<std::uint64_t>(at_->real());
  return std::nullopt;
}

std::string json_view::word() const {
  if (is_text()) return std::string{text()};
  if (is(wire::kind::negative)) return std::to_string(at_->negative());
  auto number = count();
  return number ? std::to_string(*number) : std::string{};
}

namespace {

/// The code unit of an escape that stands at `at`, or 0.
unsigned escaped_unit(std::string_view text, std::size_t at) {
  if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned unit = 0;
  auto end = text.data() + at + 6;
  return std::from_chars(text.data() + at + 2, end, unit, 16).ptr == end ? unit : 0;
}

/// Models emit tokens that are half of a pair of surrogates; some servers escape them as they come.
std::string without_halves(std::string_view text) {
  auto high = [](unsigned x) { return x >= 0xd800 && x < 0xdc00; };
  auto low = [](unsigned x) { return x >= 0xdc00 && x < 0xe000; };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    auto unit = escaped_unit(text, i);
    auto pair = high(unit) && low(escaped_unit(text, i + 6));
    auto length = pair ? 12u : unit != 0 ? 6u : text[i] == '\\' ? 2u : 1u;
    out += (high(unit) || low(unit)) && !pair ? "\\ufffd" : text.substr(i, length);
    i += length;
  }
  return out;
}

}  // namespace

wire::expected<wire::document> parse_server_json(std::string_view text) {
  constexpr wire::limits limit{.message_bytes = 32u << 20, .memory_bytes = 128u << 20, .depth = 64};
  auto doc = wire::parse_json(text, limit);
  if (doc) return doc;
  auto repaired = without_halves(valid_utf8(text));
  return repaired == text ? doc : wire::parse_json(repaired, limit);
}

}  // namespace llm_client
