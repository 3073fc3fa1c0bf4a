#include "dsl/launch_program.hpp"

#include <doctest/doctest.h>

#include "messages/wire/wire.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace launch_program_test {

namespace {

using namespace dsl::testing;
using messages::buffer_kind;
using messages::buffer_place;

/// y = relu(relu(relu(x))), a node a group.
messages::op_graph three() {
  return {.task = "three",
          .values = {input("x", {1000})},
          .nodes = {node("a", "relu", {tensor("self", "x")}, {1000}), node("b", "relu", {tensor("self", "a")}, {1000}),
                    node("c", "relu", {tensor("self", "b")}, {1000})},
          .outputs = {"c"}};
}

dsl::group_text group(std::string name, std::string reads, std::string writes) {
  dsl::group_text x;
  x.name = std::move(name);
  x.reads = {std::move(reads)};
  x.writes = {std::move(writes)};
  messages::kernel_launch launch;
  launch.kernel = x.name;
  launch.parameters = {dsl::pointer_to(buffer_kind::argument, 0), dsl::pointer_to(buffer_kind::output, 0)};
  x.launches = {launch};
  return x;
}

messages::launch_record joined(const messages::op_graph& graph, const std::vector<dsl::group_text>& groups) {
  dsl::graph_index index{graph};
  auto made = dsl::launch_program(index, groups, "kernel.cu");
  REQUIRE_MESSAGE(made, made.error().detail);
  CHECK(std::holds_alternative<messages::launch_record_entry>(made->entry));
  auto record = wire::from_json<messages::launch_record>(made->sources.at("launches.json"));
  REQUIRE(record);
  return *record;
}

std::vector<buffer_place> places_of(const messages::launch_operation& x) {
  std::vector<buffer_place> places;
  for (const auto& parameter : std::get<messages::kernel_launch>(x).parameters)
    for (const auto& pointer : parameter.pointers) places.push_back(pointer.place);
  return places;
}

}  // namespace

TEST_CASE("what goes between groups lies in scratch memory, all else where the caller has it") {
  auto record = joined(three(), {group("f", "x", "a"), group("g", "a", "b"), group("h", "b", "c")});
  REQUIRE(record.operations.size() == 3);
  CHECK(places_of(record.operations[0])
        == std::vector<buffer_place>{{buffer_kind::argument, 0, 0}, {buffer_kind::scratch, 0, 0}});
  CHECK(places_of(record.operations[1])
        == std::vector<buffer_place>{{buffer_kind::scratch, 0, 0}, {buffer_kind::scratch, 1, 0}});
  CHECK(places_of(record.operations[2])
        == std::vector<buffer_place>{{buffer_kind::scratch, 1, 0}, {buffer_kind::output, 0, 0}});
  CHECK(record.scratch == std::vector<std::uint64_t>{4096, 4096});
  REQUIRE(record.images.size() == 1);
  CHECK(record.images[0].name == "kernel.cu");
}

TEST_CASE("scratch memory that nobody needs any more is taken again, and never what is still read") {
  auto first = group("f", "x", "a"), second = group("g", "a", "b"), third = group("h", "b", "c");
  for (auto* x : {&first, &second, &third}) {
    x->scratch = {100};
    auto& launch = std::get<messages::kernel_launch>(x->launches[0]);
    launch.parameters.push_back(dsl::pointer_to(buffer_kind::scratch, 0, 8));
  }
  auto record = joined(three(), {first, second, third});
  for (const auto& operation : record.operations) {
    auto places = places_of(operation);
    CHECK(places[2].offset == 8);
    for (std::size_t i = 0; i < 2; ++i) CHECK_FALSE(places[i] == buffer_place{places[2].buffer, places[2].index, 0});
  }
  CHECK(record.scratch.size() == 3);
}

TEST_CASE("images of groups stand side by side, and launches name them") {
  auto first = group("f", "x", "a"), second = group("g", "a", "c");
  first.images = {"f.ptx"};
  second.images = {"g.ptx", "h.ptx"};
  second.launches.push_back(second.launches[0]);
  std::get<messages::kernel_launch>(second.launches[1]).image = 1;
  auto graph = three();
  graph.nodes.erase(graph.nodes.begin() + 1);
  graph.nodes[1].arguments = {tensor("self", "a")};
  auto record = joined(graph, {first, second});
  REQUIRE(record.images.size() == 3);
  CHECK(record.images[2].name == "h.ptx");
  CHECK(std::get<messages::kernel_launch>(record.operations[1]).image == 1);
  CHECK(std::get<messages::kernel_launch>(record.operations[2]).image == 2);
}

TEST_CASE("a program without elements still does something, since a record without operations is refused") {
  auto graph = three();
  graph.nodes.resize(1);
  graph.outputs = {"a"};
  auto empty = group("f", "x", "a");
  empty.launches.clear();
  auto record = joined(graph, {empty});
  REQUIRE(record.operations.size() == 1);
  const auto& fill = std::get<messages::memory_fill>(record.operations[0]);
  CHECK(fill.place.buffer == buffer_kind::scratch);
  CHECK(fill.bytes <= record.scratch.at(fill.place.index));
}

TEST_CASE("a tensor reaches from its first element to its last") {
  CHECK(dsl::extent_bytes({messages::dtype::float32, {2, 3}, {10, 2}}) == 4 * (1 + 10 + 4));
  CHECK(dsl::extent_bytes({messages::dtype::float16, {0, 3}, {3, 1}}) == 0);
  CHECK(dsl::extent_bytes({messages::dtype::boolean, {}, {}}) == 1);
}

}  // namespace launch_program_test
