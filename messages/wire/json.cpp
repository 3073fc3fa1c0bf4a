#include <cmath>

#include <nlohmann/json.hpp>

#include "messages/wire/base64.hpp"
#include "messages/wire/builder.hpp"

namespace wire {

namespace {

using json = nlohmann::ordered_json;

/// What nlohmann's parser reports to.
struct parse_events {
  parse_events(document& to, const limits& limit) : doc(to), build(to, limit) {}
  bool null() { return build.value(kind::nil); }
  bool boolean(bool x) { return build.value(kind::boolean, x); }
  bool number_integer(std::int64_t x) { return build.integer(x); }
  bool number_unsigned(std::uint64_t x) { return build.value(kind::positive, x); }
  bool number_float(double x, const std::string&) { return build.real(x); }
  bool string(std::string& x) {
    const auto& kept = doc.texts.emplace_back(std::move(x));
    return build.take_memory(sizeof kept) && build.text(kind::text, kept.data(), kept.size());
  }
  bool key(std::string& x) { return string(x); }
  bool binary(json::binary_t&) { return false; }  // only in nlohmann's binary formats
  bool start_object(std::size_t) { return build.open(kind::map); }
  bool end_object() { return build.close(); }
  bool start_array(std::size_t) { return build.open(kind::array); }
  bool end_array() { return build.close(); }
  bool parse_error(std::size_t, const std::string&, const json::exception& e) {
    std::string what = e.what();
    return build.fail("not JSON: " + what.substr(what.find("] ") + 2));  // behind "[json.exception.parse_error.101"
  }

  document& doc;
  builder build;
};

json number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

json text(std::string_view x, std::size_t longest) {
  if (x.size() <= longest) return x;
  return std::string{x.substr(0, longest)} + "... (" + std::to_string(x.size()) + " bytes)";
}

json blob(bytes_view x, std::size_t longest) {
  if (x.size() <= longest) return base64_encode(x);
  return std::string{"("}.append(std::to_string(x.size())).append(" bytes)");
}

/// @param at is moved behind the value
json value(const node*& at, std::size_t longest) {
  const auto& x = *at++;
  switch (x.kind) {
    case kind::boolean: return x.bits != 0;
    case kind::positive: return x.bits;
    case kind::negative: return x.negative();
    case kind::real: return number(x.real());
    case kind::text: return text(x.text(), longest);
    case kind::blob: return blob(x.blob(), longest);
    case kind::nil:
    case kind::extension: return nullptr;
    case kind::array: {
      auto elements = json::array();
      for (std::uint32_t i = 0; i < x.size; ++i) elements.push_back(value(at, longest));
      return elements;
    }
    case kind::map: break;
  }
  auto members = json::object();
  for (std::uint32_t i = 0; i < x.size; ++i) {
    auto key = value(at, SIZE_MAX);
    auto name = key.is_string() ? key.get<std::string>() : key.dump();
    members.get_ref<json::object_t&>().emplace_back(std::move(name), value(at, longest));  // operator[] is linear
  }
  return members;
}

}  // namespace

expected<document> parse_json(std::string_view input, const limits& limit) {
  if (input.size() > limit.message_bytes)
    return tl::unexpected{error{{}, "longer than " + std::to_string(limit.message_bytes) + " bytes"}};
  document doc;
  doc.from_json = true;
  parse_events events{doc, limit};
  if (!json::sax_parse(input, &events)) return tl::unexpected{events.build.failure()};
  return doc;
}

std::string format_json(const document& doc, const json_style& style) {
  auto at = doc.nodes.data();
  return value(at, style.longest).dump(style.indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace wire
