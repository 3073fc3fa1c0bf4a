#include "actors/simplified_trace.hpp"

#include <doctest/doctest.h>

#include "actors/logic/blob_references.hpp"
#include "messages/records/fact.hpp"
#include "messages/wire/wire.hpp"
#include "tests/dsl/op_graphs.hpp"
#include "tests/support/scratch_folder.hpp"

namespace simplified_trace_test {

namespace {

using namespace dsl::testing;
using namespace messages;

/// relu(relu(x)), and an input that nothing uses.
op_graph relu_twice() {
  auto graph = graph_of(node("once", "relu", {tensor("self", "a")}, {4}));
  for (std::uint32_t i = 0; i < 3; ++i) graph.values[i].index = i;
  graph.nodes.push_back(node("twice", "relu", {tensor("self", "once")}, {4}));
  graph.outputs = {"twice"};
  return graph;
}

struct stored {
  tests::scratch_folder folder;
  blobs::blob_store store = *blobs::blob_store::open(folder.path());

  traced trace(const op_graph& graph) const { return {store.put_record(graph).value(), {.kind = "cpu"}}; }
};

}  // namespace

TEST_CASE("a trace is recorded with its simplified graph, the rules that fired and the bytes still to be read") {
  stored x;
  auto before = x.trace(relu_twice());
  auto after = actors::simplified_trace(before, x.store).value();
  CHECK(after.graph == before.graph);
  CHECK(after.device == before.device);
  CHECK(after.rules == std::vector<std::string>{"clamp to what the argument can be anyhow"});
  CHECK(after.input_bytes == std::vector<std::uint64_t>{16, 0, 0});
  CHECK(after.planned() == after.simplified);
  CHECK(x.store.get_record<op_graph>(after.simplified)->outputs == std::vector<std::string>{"once"});
  stage_result result{.outcome = verdict{after}};
  auto kept = actors::logic::blobs_of({.content = stage_finished{result}});
  CHECK(kept == std::set<blob_hash>{after.graph, after.simplified});
}

TEST_CASE("the graphs of all shapes are simplified together, with the bytes of each") {
  stored x;
  auto longer = relu_twice();
  for (auto& value : longer.values) value.spec = spec({8});
  for (auto& node : longer.nodes) node.output = spec({8});
  auto before = x.trace(relu_twice());
  before.others = {{x.store.put_record(longer).value(), {}}};
  auto after = actors::simplified_trace(before, x.store).value();
  CHECK(after.input_bytes == std::vector<std::uint64_t>{16, 0, 0, 32, 0, 0});
  CHECK(x.store.get_record<op_graph>(after.planned())->outputs == std::vector<std::string>{"once"});
  CHECK(x.store.get_record<op_graph>(after.others[0].planned())->outputs == std::vector<std::string>{"once"});
  auto kept = actors::logic::blobs_of({.content = stage_finished{{.outcome = verdict{after}}}});
  CHECK(kept.size() == 4);
}

TEST_CASE("graphs of shapes that would not have the same nodes any more stay as they were traced") {
  stored x;
  auto before = x.trace(relu_twice());
  before.others = {{x.store.put_record(chain()).value(), {}}};
  CHECK(actors::simplified_trace(before, x.store) == before);
}

TEST_CASE("a trace in which nothing can be simplified is recorded as it was") {
  stored x;
  auto before = x.trace(chain());
  CHECK(actors::simplified_trace(before, x.store) == before);
  CHECK(before.planned() == before.graph);
}

TEST_CASE("a graph that can't be relied on is left to the planner to refuse") {
  stored x;
  auto graph = chain();
  graph.outputs = {"nobody"};
  auto before = x.trace(graph);
  CHECK(actors::simplified_trace(before, x.store) == before);
}

TEST_CASE("a graph that is not in the store is a failure") {
  stored x;
  CHECK(actors::simplified_trace({{std::string(32, '0')}, {}}, x.store).error().code == failure_code::not_found);
}

TEST_CASE("a trace of an older journal is read: its plans refer to the graph as traced") {
  auto old = wire::from_json<traced>(R"({"graph": "00112233445566778899aabbccddeeff", "device": {"kind": "cpu"}})");
  REQUIRE(old.has_value());
  CHECK(old->rules.empty());
  CHECK(old->planned().value == "00112233445566778899aabbccddeeff");
}

}  // namespace simplified_trace_test
