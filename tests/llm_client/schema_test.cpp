#include "llm_client/schema.hpp"

#include <doctest/doctest.h>

namespace schema_test {

using namespace llm_client;

namespace {

std::string mismatch(std::string_view schema, std::string_view value) {
  auto rules = wire::parse_json(schema), doc = wire::parse_json(value);
  REQUIRE(rules);
  REQUIRE(doc);
  REQUIRE(check_schema(schema));
  return schema_mismatch(json_view{*rules}, json_view{*doc}).value_or("fits");
}

std::string refused(std::string_view schema) {
  auto ok = check_schema(schema);
  return ok ? "taken" : ok.error().detail;
}

constexpr auto plan = R"({"type":"object","properties":{"name":{"type":"string","minLength":2},"knobs":{"type":"array",
  "items":{"$ref":"#/$defs/knob"},"maxItems":2},"kind":{"enum":["map","row",3]}},"required":["name"],
  "additionalProperties":false,"$defs":{"knob":{"type":["integer","null"],"minimum":1,"exclusiveMaximum":9}}})";

}  // namespace

TEST_CASE("a value that fits a schema fits it, and one that does not is told where") {
  CHECK(mismatch(plan, R"({"name":"ab","knobs":[1,null],"kind":3})") == "fits");
  CHECK(mismatch(plan, R"({"knobs":[]})") == "\"name\" is missing");
  CHECK(mismatch(plan, R"({"name":7})") == "name: expected string, got integer");
  CHECK(mismatch(plan, R"({"name":"a"})") == "name: the text is too short or too long");
  CHECK(mismatch(plan, R"({"name":"ab","knobs":[1,"x"]})") == "knobs[1]: expected integer or null, got string");
  CHECK(mismatch(plan, R"({"name":"ab","knobs":[0]})") == "knobs[0]: the number is out of range");
  CHECK(mismatch(plan, R"({"name":"ab","knobs":[9]})") == "knobs[0]: the number is out of range");
  CHECK(mismatch(plan, R"({"name":"ab","knobs":[1.5]})") == "knobs[0]: expected integer or null, got number");
  CHECK(mismatch(plan, R"({"name":"ab","knobs":[1,2,3]})") == "knobs: 3 elements are too few or too many");
  CHECK(mismatch(plan, R"({"name":"ab","kind":"col"})") == "kind: \"col\" is none of the values allowed");
  CHECK(mismatch(plan, R"({"name":"ab","more":1})") == "more: not allowed here");
  CHECK(mismatch(plan, "[]") == "expected object, got array");
}

TEST_CASE("alternatives and constants") {
  constexpr auto any = R"({"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]})";
  CHECK(mismatch(any, R"("x")") == "fits");
  CHECK(mismatch(any, R"({"a":1})") == "fits");
  CHECK(mismatch(any, "3") == "expected string, got integer");
  CHECK(mismatch(R"({"oneOf":[{"type":"number"},{"type":"integer"}]})", "3").starts_with("fits several"));
  CHECK(mismatch(R"({"allOf":[{"type":"number"},{"minimum":4}]})", "3") == "the number is out of range");
  CHECK(mismatch(R"({"const":{"a":[1,2]}})", R"({"a":[1,2.0]})") == "fits");
  CHECK(mismatch(R"({"const":{"a":[1,2]}})", R"({"a":[2,1]})") == "not the constant that it must be");
  CHECK(mismatch(R"({"const":null})", "0") == "not the constant that it must be");
}

TEST_CASE("a schema that could not be checked is refused at once") {
  CHECK(refused(plan) == "taken");
  CHECK(refused(R"({"type":"string","pattern":"a+"})")
        == "the schema of an answer, at #, has the keyword \"pattern\", which is not checked; leave it out");
  CHECK(refused(R"({"properties":{"a":{"items":{"not":{}}}}})")
        == "the schema of an answer, at #/properties/a/items, has the keyword \"not\", which is not checked; leave it out");
  CHECK(refused(R"({"$ref":"#/$defs/none"})")
        == "the schema of an answer, at #, has a $ref to what is not in the document");
  CHECK(refused("[]").starts_with("the schema of an answer, at #, is no schema"));
  CHECK(refused("{").starts_with("the schema of an answer is not JSON"));
}

TEST_CASE("a schema that refers to itself ends") {
  CHECK(mismatch(R"({"$ref":"#"})", "1") == "nested too deeply to be checked");
  CHECK(mismatch(R"({"properties":{"next":{"$ref":"#"}}})", R"({"next":{"next":{}}})") == "fits");
}

TEST_CASE("a strict schema closes every object") {
  auto strict = [](std::string_view schema) {
    auto doc = wire::parse_json(schema);
    REQUIRE(doc);
    return strict_schema(json_view{*doc});
  };
  CHECK(strict(R"({"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false})"));
  CHECK_FALSE(strict(plan));
  CHECK_FALSE(strict(R"({"type":"array","items":{"type":"object"}})"));
  CHECK(strict(R"({"type":"string"})"));
}

TEST_CASE("the document of an answer is its text, or what stands in its only fence") {
  constexpr auto number = R"({"type":"integer"})";
  CHECK(structured_answer(number, " 5\n") == "5");
  CHECK(structured_answer(number, "Here:\n```json\n5\n```\nDone.") == "5");
  CHECK_FALSE(structured_answer(number, "```\n5\n```\n```\n6\n```"));
  CHECK_FALSE(structured_answer(number, "5 6"));
  CHECK_FALSE(structured_answer(number, ""));
  CHECK(structured_answer(number, "\"5\"").error().detail == "expected integer, got string");
}

}  // namespace schema_test
