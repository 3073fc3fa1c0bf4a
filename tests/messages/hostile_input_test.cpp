// Messages that try to take more than their length entitles them to.

#include <doctest/doctest.h>

#include "messages/records/candidate.hpp"
#include "messages/wire/wire.hpp"
#include "tests/messages/wire_text.hpp"
#include "tests/support/memory_probe.hpp"

namespace hostile_input_test {

namespace {

using namespace std::literals;
using messages::candidate_manifest;
using tests::peak_of;
using tests::problem_of;
using tests::raw;

const auto sources = "\x81\xa7sources"s;
const auto four_gib = "\xff\xff\xff\xff"s;

std::size_t memory_for(const std::string& bomb) {
  auto input = raw(bomb);
  bool refused = false;
  auto memory = peak_of([&] { refused = !wire::unpack<candidate_manifest>(input); });
  CHECK(refused);
  return memory;
}

/// An array of empty maps: one byte each on the wire, a source_file each in memory.
wire::bytes many_sources(std::uint32_t count) {
  auto input = sources + "\xdd";
  for (int shift = 24; shift >= 0; shift -= 8) input += static_cast<char>(count >> shift & 255);
  return raw(input + std::string(count, '\x80'));
}

}  // namespace

TEST_CASE("an announced length costs nothing until the bytes arrive") {
  constexpr std::size_t little = 20'000;
  CHECK(memory_for(sources + "\xdd" + four_gib) < little);  // array
  CHECK(memory_for(sources + "\xdf" + four_gib) < little);  // map
  CHECK(memory_for(sources + "\xdb" + four_gib) < little);  // text
  CHECK(memory_for(sources + "\xc6" + four_gib) < little);  // blob
  CHECK(memory_for(sources + "\xc9" + four_gib) < little);  // extension
  std::string nested = sources;
  for (int i = 0; i < 30; ++i) nested += "\xdd\x00\x0f\x42\x40"s;  // a million each
  CHECK(memory_for(nested + "\xc0") < little);
}

TEST_CASE("depth ends at the limit in both formats") {
  auto deep_pack = raw("\x81\xa1?" + std::string(1'000'000, '\x91'));
  CHECK(problem_of(wire::unpack<candidate_manifest>(deep_pack)) == "nested deeper than 32");
  auto deep_json = "{\"?\":" + std::string(1'000'000, '[');
  CHECK(problem_of(wire::from_json<candidate_manifest>(deep_json)) == "nested deeper than 32");
  auto nested = [](int n) { return "{\"?\":" + std::string(n, '[') + std::string(n, ']') + "}"; };
  CHECK(problem_of(wire::from_json<candidate_manifest>(nested(31))) == "none");
  CHECK(problem_of(wire::from_json<candidate_manifest>(nested(32))) == "nested deeper than 32");
}

TEST_CASE("many small elements meet the memory limit before they are stored") {
  auto input = many_sources(500'000);
  wire::limits limit{.memory_bytes = 20u << 20};
  std::string problem;
  auto memory = peak_of([&] { problem = problem_of(wire::unpack<candidate_manifest>(input, limit)); });
  CHECK(problem == "sources: needs more memory than the limit allows");
  CHECK(memory < 64u << 20);
  limit.memory_bytes = 1u << 20;
  CHECK(problem_of(wire::unpack<candidate_manifest>(input, limit)) == "more values than the limit allows");
  limit.memory_bytes = 256u << 20;
  CHECK(problem_of(wire::unpack<candidate_manifest>(input, limit)) == "none");
}

TEST_CASE("all of a message's arrays share one limit") {
  std::string elements = "\xdd\x00\x01\x86\xa0"s + std::string(100'000, '\x80');
  auto input = raw("\x82\xa7sources" + elements + "\xa7outputs" + elements);
  static_assert(sizeof(messages::source_file) < 100 && sizeof(messages::tensor_spec) < 100);  // either array alone fits
  CHECK(problem_of(wire::unpack<candidate_manifest>(input, {.memory_bytes = 10'000'000}))
        == "outputs: needs more memory than the limit allows");
  CHECK(problem_of(wire::unpack<candidate_manifest>(input, {.memory_bytes = 20'000'000})) == "none");
}

TEST_CASE("a message longer than the limit is not looked at") {
  auto memory = peak_of([&] {
    auto input = std::string(100'000, '[');
    CHECK(problem_of(wire::from_json<candidate_manifest>(input, {.message_bytes = 1000})) == "longer than 1000 bytes");
  });
  CHECK(memory < 150'000);
  CHECK(problem_of(wire::unpack<candidate_manifest>(many_sources(5000), {.message_bytes = 1000}))
        == "longer than 1000 bytes");
}

}  // namespace hostile_input_test
