// What people and logs get to see when something can't be read.

#include <doctest/doctest.h>

#include "messages/records/candidate.hpp"
#include "messages/records/run.hpp"
#include "messages/wire/wire.hpp"
#include "tests/messages/wire_text.hpp"

namespace read_error_test {

namespace {

using tests::problem_of;
using tests::raw;

std::string in_json(std::string_view x) { return problem_of(wire::from_json<messages::candidate_manifest>(x)); }
std::string in_pack(std::string_view x) { return problem_of(wire::unpack<messages::candidate_manifest>(raw(x))); }
std::string in_strategy(std::string_view x) { return problem_of(wire::from_json<messages::strategy_options>(x)); }

}  // namespace

TEST_CASE("an error names the field and both types") {
  CHECK(in_json("[]") == "expected map, got array");
  CHECK(in_json(R"({"dsl":3})") == "dsl: expected string, got integer");
  CHECK(in_json(R"({"sources":[{},{"path":null}]})") == "sources[1].path: expected string, got null");
  CHECK(in_json(R"({"sources":{}})") == "sources: expected array, got map");
  CHECK(in_json(R"({"outputs":[{"shape":[1,2.5]}]})") == "outputs[0].shape[1]: expected integer, got number");
  CHECK(in_json(R"({"knobs":{"g0.block":1.5}})") == "knobs.g0.block: expected integer, got number");
  CHECK(in_pack("\x81\xa3"
                "dsl\x07")
        == "dsl: expected string, got integer");
  CHECK(in_pack("\x81\xa5knobs\x81\xa1x\xc0") == "knobs.x: expected integer, got null");
}

TEST_CASE("an error says which number is out of range") {
  CHECK(in_json(R"({"version":-1})") == "version: -1 is below 0");
  CHECK(in_json(R"({"version":4294967296})") == "version: 4294967296 is above 4294967295");
  CHECK(in_json(R"({"knobs":{"x":9223372036854775808}})")
        == "knobs.x: 9223372036854775808 is above 9223372036854775807");
  CHECK(in_strategy(R"({"time_limit_ms":1.5})") == "time_limit_ms: expected integer, got number");
}

TEST_CASE("an error names the word that no table knows") {
  CHECK(in_json(R"({"origin":"moon"})") == "origin: unknown name \"moon\"");
  CHECK(in_json(R"({"entry":{"dance":{}}})") == "entry: unknown alternative \"dance\"");
  CHECK(in_json(R"({"entry":{}})") == "entry: expected one alternative, got 0");
  CHECK(in_json(R"({"entry":{"c_abi":{},"python_host":{}}})") == "entry: expected one alternative, got 2");
  CHECK(in_json(R"({"entry":{"c_abi":{"abi":"one"}}})") == "entry.c_abi.abi: expected integer, got string");
  CHECK(in_json("{\"origin\":\"" + std::string(1000, 'x') + "\"}")
        == "origin: unknown name \"" + std::string(64, 'x') + '"');
}

TEST_CASE("keys of maps are strings") {
  CHECK(in_pack("\x81\xa5knobs\x81\x01\x02") == "knobs: expected string as key, got integer");
  CHECK(in_pack("\x81\xa5knobs\x81\xc0\x02") == "knobs: expected string as key, got null");
  CHECK(in_pack("\x81\xa5"
                "entry\x81\x01\x80")
        == "entry: expected string as key, got integer");
  CHECK(in_pack("\x81\x01\x02") == "none");  // unknown to the record, whatever it is
}

TEST_CASE("broken input says where it breaks") {
  CHECK(in_pack("") == "cut off at byte 0");
  CHECK(in_pack("\x81\xa3"
                "dsl")
        == "cut off at byte 5");
  CHECK(in_pack("\xc1") == "not MessagePack at byte 0");
  CHECK(in_pack("\x80\x80") == "1 bytes after the message");
  CHECK(in_json("").starts_with("not JSON: parse error at line 1, column 1"));
  CHECK(in_json("{} {}").starts_with("not JSON: parse error at line 1, column 4"));
  CHECK(in_json("{\"dsl\":\n 1x}").starts_with("not JSON: parse error at line 2, column 3"));
  CHECK(in_json("{\"dsl\":1e999}").starts_with("not JSON: number overflow"));
}

}  // namespace read_error_test
