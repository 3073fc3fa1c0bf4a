#include "llm_client/schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace llm_client {

namespace {

using wire::kind;

constexpr int deepest_schema = 64;

bool one_of_words(std::string_view x, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), x) != words.end();
}

bool annotation(std::string_view x) {
  return one_of_words(x, {"title", "description", "default", "examples", "format", "$schema", "$id", "$comment",
                          "deprecated", "$defs", "definitions"});
}

bool checked_keyword(std::string_view x) {
  return one_of_words(x, {"type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf",
                          "oneOf", "allOf", "$ref", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                          "minLength", "maxLength", "minItems", "maxItems"});
}

std::optional<double> number_of(json_view x) {
  if (x.is(kind::positive)) return static_cast<double>(x.node()->bits);
  if (x.is(kind::negative)) return static_cast<double>(x.node()->negative());
  if (x.is(kind::real)) return x.node()->real();
  return std::nullopt;
}

std::string type_name(json_view x) {
  if (x.is_object()) return "object";
  if (x.is_array()) return "array";
  if (x.is_text()) return "string";
  if (x.is(kind::boolean)) return "boolean";
  if (auto number = number_of(x)) return std::floor(*number) == *number ? "integer" : "number";
  return "null";
}

bool has_type(json_view x, std::string_view wanted) {
  auto name = type_name(x);
  return name == wanted || (wanted == "number" && name == "integer");
}

bool same_value(json_view a, json_view b, int depth = 0) {
  if (depth > deepest_schema || type_name(a) != type_name(b) || a.size() != b.size()) return false;
  if (a.is_text()) return a.text() == b.text();
  if (a.is(kind::boolean)) return a.boolean() == b.boolean();
  if (auto x = number_of(a)) return *x == *number_of(b);
  bool same = true;
  if (a.is_object())
    a.each_member([&](auto key, json_view x) { same = same && b[key].node() && same_value(x, b[key], depth + 1); });
  auto other = b.is_array() ? b.first().node() : nullptr;
  a.each([&](json_view x) {
    same = same && same_value(x, json_view{other}, depth + 1);
    if (other) other += other->extent;
  });
  return same;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// "#/$defs/plan"
json_view referred(json_view root, std::string_view reference) {
  if (!reference.starts_with('#')) return {};
  auto at = root;
  reference.remove_prefix(1);
  while (!reference.empty() && at) {
    reference.remove_prefix(1);  // '/'
    auto end = std::min(reference.find('/'), reference.size());
    at = at[reference.substr(0, end)];
    reference.remove_prefix(end);
  }
  return at;
}

/// Compares one value with one schema; the path is that of the value.
class schema_comparison {
public:
  explicit schema_comparison(json_view root) : root_(root) {}

  std::optional<std::string> compare(json_view schema, json_view value, const std::string& path, int depth = 0) {
    if (depth > deepest_schema || ++steps_ > 1'000'000) return at(path, "nested too deeply to be checked");
    if (schema.is(kind::boolean) && schema.boolean()) return std::nullopt;
    if (schema.is(kind::boolean)) return at(path, "not allowed here");
    std::optional<std::string> problem;
    auto rule = [&](auto&& check) {
      if (!problem) problem = check();
    };
    rule([&] { return by_reference(schema, value, path, depth); });
    rule([&] { return by_type(schema["type"], value, path); });
    rule([&] { return by_choice(schema, value, path); });
    rule([&] { return by_bounds(schema, value, path); });
    rule([&] { return by_members(schema, value, path, depth); });
    rule([&] { return by_elements(schema, value, path, depth); });
    rule([&] { return by_combination(schema, value, path, depth); });
    return problem;
  }

private:
  static std::string at(const std::string& path, const std::string& problem) {
    return path.empty() ? problem : path + ": " + problem;
  }

  std::optional<std::string> by_reference(json_view schema, json_view value, const std::string& path, int depth) {
    if (!schema["$ref"]) return {};
    return compare(referred(root_, schema["$ref"].text()), value, path, depth + 1);
  }

  static std::optional<std::string> by_type(json_view type, json_view value, const std::string& path) {
    if (!type) return {};
    bool ok = type.is_text() && has_type(value, type.text());
    std::string wanted{type.text()};
    type.each([&](json_view x) {
      ok = ok || has_type(value, x.text());
      wanted += (wanted.empty() ? "" : " or ") + std::string{x.text()};
    });
    if (ok) return {};
    return at(path, "expected " + wanted + ", got " + (value.node() ? type_name(value) : "nothing"));
  }

  static std::optional<std::string> by_choice(json_view schema, json_view value, const std::string& path) {
    if (auto fixed = schema["const"]; fixed.node() && !same_value(fixed, value))
      return at(path, "not the constant that it must be");
    if (!schema["enum"]) return {};
    bool found = false;
    schema["enum"].each([&](json_view x) { found = found || same_value(x, value); });
    if (found) return {};
    return at(path, value.is_text()
                        ? "\"" + std::string{value.text().substr(0, 64)} + "\" is none of the values allowed"
                        : "none of the values allowed");
  }

  static std::optional<std::string> by_bounds(json_view schema, json_view value, const std::string& path) {
    auto bound = [&](const char* key) { return number_of(schema[key]); };
    auto outside = [&](std::optional<double> x, const char* least, const char* most) {
      return x && ((bound(least) && *x < *bound(least)) || (bound(most) && *x > *bound(most)));
    };
    auto number = number_of(value);
    if (outside(number, "minimum", "maximum")) return at(path, "the number is out of range");
    if (number
        && ((bound("exclusiveMinimum") && *number <= *bound("exclusiveMinimum"))
            || (bound("exclusiveMaximum") && *number >= *bound("exclusiveMaximum"))))
      return at(path, "the number is out of range");
    if (value.is_text() && outside(static_cast<double>(characters(value.text())), "minLength", "maxLength"))
      return at(path, "the text is too short or too long");
    if (value.is_array() && outside(static_cast<double>(value.size()), "minItems", "maxItems"))
      return at(path, std::to_string(value.size()) + " elements are too few or too many");
    return {};
  }

  std::optional<std::string> by_members(json_view schema, json_view value, const std::string& path, int depth) {
    if (!value.is_object()) return {};
    std::optional<std::string> problem;
    schema["required"].each([&](json_view name) {
      if (!problem && !value[name.text()].node()) problem = at(path, "\"" + std::string{name.text()} + "\" is missing");
    });
    auto properties = schema["properties"], others = schema["additionalProperties"];
    value.each_member([&](std::string_view key, json_view member) {
      auto inner = (path.empty() ? "" : path + ".") + std::string{key.substr(0, 64)};
      auto rule = properties[key].node() ? properties[key] : others;
      if (!problem && rule.node()) problem = compare(rule, member, inner, depth + 1);
    });
    return problem;
  }

  std::optional<std::string> by_elements(json_view schema, json_view value, const std::string& path, int depth) {
    if (!value.is_array() || !schema["items"].node()) return {};
    std::optional<std::string> problem;
    std::size_t i = 0;
    value.each([&](json_view x) {
      auto inner = path + "[" + std::to_string(i++) + "]";
      if (!problem) problem = compare(schema["items"], x, inner, depth + 1);
    });
    return problem;
  }

  std::optional<std::string> by_combination(json_view schema, json_view value, const std::string& path, int depth) {
    std::optional<std::string> problem, nearest;
    schema["allOf"].each([&](json_view x) {
      if (!problem) problem = compare(x, value, path, depth + 1);
    });
    for (std::string_view key : {"anyOf", "oneOf"}) {
      std::size_t fitting = 0;
      schema[key].each([&](json_view x) {
        auto why = compare(x, value, path, depth + 1);
        fitting += !why;
        if (why && !nearest) nearest = why;
      });
      if (problem || !schema[key]) continue;
      if (fitting == 0) problem = nearest ? *nearest : at(path, "fits none of the alternatives");
      if (fitting > 1 && key == "oneOf") problem = at(path, "fits several alternatives of which it may fit one");
    }
    return problem;
  }

  json_view root_;
  std::size_t steps_ = 0;
};

/// Calls f(schema, path) for a schema and all within it, until it returns false.
template <class F>
bool each_schema(json_view schema, const std::string& path, int depth, F&& f) {
  if (depth > deepest_schema || !f(schema, path)) return false;
  bool ok = true;
  auto inner = [&](json_view x, const std::string& name) {
    ok = ok && each_schema(x, path + "/" + name, depth + 1, f);
  };
  for (std::string_view key : {"properties", "$defs", "definitions"})
    schema[key].each_member([&](auto name, json_view x) { inner(x, std::string{key} + "/" + std::string{name}); });
  for (std::string_view key : {"anyOf", "oneOf", "allOf"})
    schema[key].each([&](json_view x) { inner(x, std::string{key}); });
  for (std::string_view key : {"items", "additionalProperties"})
    if (schema[key].node()) inner(schema[key], std::string{key});
  return ok;
}

/// Nothing, or what can't be checked in this schema alone.
std::string unchecked_part(json_view root, json_view schema) {
  if (schema.is(kind::boolean)) return {};
  if (!schema.is_object()) return "is no schema: neither an object nor true or false";
  std::string problem;
  schema.each_member([&](std::string_view key, json_view) {
    if (!annotation(key) && !checked_keyword(key))
      problem = "has the keyword \"" + std::string{key} + "\", which is not checked; leave it out";
  });
  if (schema["$ref"] && !referred(root, schema["$ref"].text())) problem = "has a $ref to what is not in the document";
  return problem;
}

/// The answer without a block of ``` around it, where there is exactly one.
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view fence = "```";
  auto begin = text.find(fence);
  if (begin == text.npos) return text;
  auto line = text.find('\n', begin), end = text.find(fence, begin + fence.size());
  if (line == text.npos || end == text.npos || line > end || text.find(fence, end + fence.size()) != text.npos)
    return text;
  return text.substr(line + 1, end - line - 1);
}

}  // namespace

messages::expected<void> check_schema(std::string_view schema) {
  auto bad = [](const std::string& detail) { return messages::fail(messages::failure_code::bad_input, detail); };
  auto doc = wire::parse_json(schema);
  if (!doc) return bad("the schema of an answer is " + wire::to_string(doc.error()));
  json_view root{*doc};
  std::string problem;
  auto whole = each_schema(root, "#", 0, [&](json_view x, const std::string& path) {
    auto part = unchecked_part(root, x);
    if (!part.empty()) problem = "the schema of an answer, at " + path + ", " + part;
    return part.empty();
  });
  if (whole) return {};
  return bad(problem.empty() ? "the schema of an answer is nested too deeply" : problem);
}

std::optional<std::string> schema_mismatch(json_view schema, json_view value) {
  return schema_comparison{schema}.compare(schema, value, "");
}

bool strict_schema(json_view schema) {
  return each_schema(schema, "#", 0, [](json_view x, const std::string&) {
    if (!x["properties"].node() && x["type"].text() != "object") return true;
    auto others = x["additionalProperties"];
    return others.is(kind::boolean) && !others.boolean() && x["required"].size() == x["properties"].size();
  });
}

messages::expected<std::string> structured_answer(std::string_view schema, std::string_view answer) {
  auto wrong = [](const std::string& detail) { return messages::fail(messages::failure_code::unreadable, detail); };
  auto rules = wire::parse_json(schema);
  if (!rules) return wrong("the schema is " + wire::to_string(rules.error()));
  auto text = answer;
  auto doc = wire::parse_json(text);
  if (!doc) doc = wire::parse_json(text = without_fence(answer));
  if (!doc) return wrong("the answer is " + wire::to_string(doc.error()));
  if (auto problem = schema_mismatch(json_view{*rules}, json_view{*doc})) return wrong(*problem);
  auto begin = text.find_first_not_of(" \t\r\n");
  return std::string{text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1)};
}

}  // namespace llm_client
