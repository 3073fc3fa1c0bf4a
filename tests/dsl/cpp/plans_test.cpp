// Plans against the recipes of cpp: checker, planner, debugger, neighbours.

#include <set>

#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"
#include "dsl/rules_debugger.hpp"
#include "tests/dsl/cpp/written.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace plans_test {

namespace {

using namespace dsl::testing;
using messages::failure_kind;
using messages::plan;
using messages::plan_group;

plan good() { return {1, "", {{"g0", "map", {"mul", "add", "relu"}, {}}}}; }

std::string problems_of(const plan& x, const messages::device_info& device = {}) {
  auto graph = chain();
  return to_string(dsl::check_plan(x, dsl::graph_index{graph}, cpp(), device));
}

plan with_knob(const char* name, messages::knob_value value) {
  auto x = good();
  x.groups[0].knobs[name] = std::move(value);
  return x;
}

messages::debug_request failed(failure_kind kind, plan of, std::uint32_t repairs = 0) {
  return {.plan = std::move(of), .failure = {.kind = kind}, .repairs = repairs};
}

/// The knobs that the debugger advises, or nothing for the next plan.
messages::knob_values advised(const messages::debug_request& request) {
  auto reply = dsl::rules_debug(request, cpp());
  CHECK(!reply.remark.empty());
  const auto* change = std::get_if<messages::change_knobs>(&reply.advice);
  return change == nullptr ? messages::knob_values{} : change->plan.groups[0].knobs;
}

}  // namespace

TEST_CASE("a good plan has no problems") { CHECK(problems_of(good()) == ""); }

TEST_CASE("each problem of a plan is told with its path") {
  CHECK(problems_of({2, "", good().groups}) == "version: is 2, but only 1 is known");
  CHECK(problems_of({1, "", {}})
        == "groups: is empty; groups: node mul is in no group; groups: node add is in no group; "
           "groups: node relu is in no group");
  auto x = good();
  x.groups[0].recipe = "mapp";
  CHECK(problems_of(x) == "groups[0].recipe: cpp has no recipe \"mapp\"");
  x = good();
  x.groups[0].name = "0g";
  CHECK(problems_of(x) == "groups[0].name: \"0g\" is not an identifier");
  x = good();
  x.groups[0].nodes[2] = "no";
  CHECK(problems_of(x) == "groups[0].nodes: the graph has no node \"no\"; groups: node relu is in no group");
  x = good();
  x.groups.push_back({"g1", "map", {"relu"}, {}});
  CHECK(problems_of(x) == "groups[1].nodes: node relu is in groups[0] too");
  x = {1, "", {{"g0", "map", {"add", "relu"}, {}}, {"g1", "map", {"mul"}, {}}}};
  CHECK(problems_of(x) == "groups[0].nodes: add uses mul of groups[1], which runs later");
  CHECK(problems_of(with_knob("blok", std::int64_t{4096})) == "groups[0].knobs.blok: recipe map has no such knob");
  CHECK(problems_of(with_knob("block", std::int64_t{5}))
        == "groups[0].knobs.block: 5 is not among the values 4096, 16384, 65536, 262144");
  CHECK(problems_of(with_knob("block", "big"))
        == "groups[0].knobs.block: \"big\" is not among the values 4096, 16384, 65536, 262144");
}

TEST_CASE("a value beyond the device's limit is refused, one that the device does not state is not") {
  dsl::knob_manifest knob{.name = "tile", .values = {std::int64_t{8}}, .bounds = {{"shared_bytes", 4}}};
  messages::device_info device{.limits = {{"shared_bytes", 31}}};
  CHECK(!dsl::within_limits(knob, std::int64_t{8}, device));
  device.limits["shared_bytes"] = 32;
  CHECK(dsl::within_limits(knob, std::int64_t{8}, device));
  CHECK(dsl::within_limits(knob, std::int64_t{8}, {}));
}

TEST_CASE("the planner gives as many plans as wanted, all good and different") {
  for (std::uint32_t wanted : {0u, 1u, 3u, 100u}) {
    auto reply = rules_plan({.wanted = wanted}, chain(), cpp());
    CHECK(reply.plans.size() == std::min<std::size_t>(wanted, cpp().files().recipe("map")->manifest.presets.size()));
    for (const auto& x : reply.plans) CHECK(problems_of(x) == "");
    for (std::size_t i = 1; i < reply.plans.size(); ++i) CHECK(reply.plans[i].groups != reply.plans[0].groups);
  }
}

TEST_CASE("the planner names operators that no recipe covers") {
  auto graph = chain();
  graph.nodes[1].op = "aten.mm";
  graph.nodes[2].op = "aten.conv2d";
  auto reply = rules_plan({}, graph, cpp());
  CHECK(reply.plans.empty());
  CHECK(reply.remark == "not covered: aten.conv2d, aten.mm; --allow-library-calls would leave this to the library");
}

TEST_CASE("results of different shapes become groups of their own") {
  auto graph = chain();
  graph.nodes.insert(graph.nodes.begin(), node("small", "relu", {tensor("self", "scale")}, {3, 1}));
  graph.outputs = {"small", "relu"};
  auto reply = rules_plan({.wanted = 1}, graph, cpp());
  REQUIRE_MESSAGE(reply.plans.size() == 1, reply.remark);
  REQUIRE(reply.plans[0].groups.size() == 2);
  CHECK(reply.plans[0].groups[1].nodes == std::vector<std::string>{"mul", "add", "relu"});
  CHECK(write(graph, reply.plans[0]).manifest.outputs.size() == 2);
}

TEST_CASE("a plan with problems is not written") {
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  auto reply = rules_code({.plan = with_knob("block", std::int64_t{5})}, chain(), cpp(), *store);
  REQUIRE(reply);
  CHECK(!reply->manifest);
  CHECK(reply->remark == "groups[0].knobs.block: 5 is not among the values 4096, 16384, 65536, 262144");
}

TEST_CASE("each kind of failure leads to other knobs or to the next plan") {
  CHECK(advised(failed(failure_kind::compile_error, good())).at("streaming_stores") == messages::knob_value{"off"});
  CHECK(advised(failed(failure_kind::crash, good())).at("streaming_stores") == messages::knob_value{"off"});
  CHECK(advised(failed(failure_kind::wrong_values, good())).at("math") == messages::knob_value{"plain"});
  CHECK(advised(failed(failure_kind::out_of_memory, good())).at("tile") == messages::knob_value{std::int64_t{512}});
  CHECK(advised(failed(failure_kind::timeout, good())).at("schedule") == messages::knob_value{"dynamic"});
  for (auto kind : {failure_kind::wrong_shape, failure_kind::input_changed, failure_kind::replay,
                    failure_kind::task_error, failure_kind::tampering, failure_kind::unknown}) {
    CHECK(advised(failed(kind, good())).empty());
  }
}

TEST_CASE("repairs end, whatever fails") {
  for (std::size_t kind = 0; kind < enum_names(failure_kind{}).size(); ++kind) {
    auto x = good();
    std::uint32_t repairs = 0;
    for (;; ++repairs) {
      auto reply = dsl::rules_debug(failed(static_cast<failure_kind>(kind), x, repairs), cpp());
      if (std::holds_alternative<messages::next_plan>(reply.advice)) break;
      auto changed = std::get<messages::change_knobs>(reply.advice).plan;
      CHECK(problems_of(changed) == "");
      CHECK(dsl::all_knobs(changed, cpp().files()) != dsl::all_knobs(x, cpp().files()));
      x = changed;
    }
    CHECK(repairs <= dsl::debugger_options{}.repairs);
  }
}

TEST_CASE("neighbours differ in one knob, near values first, in an order that the seed decides") {
  auto all = dsl::knob_neighbours(good(), cpp().files(), {}, 1);
  std::size_t values = 0;
  for (const auto& knob : cpp().files().recipe("map")->manifest.knobs) values += knob.values.size() - 1;
  CHECK(all.size() == values);
  auto start = dsl::all_knobs(good(), cpp().files());
  for (const auto& x : all) {
    CHECK(problems_of(x) == "");
    std::size_t different = 0;
    for (const auto& [path, value] : dsl::all_knobs(x, cpp().files())) different += start.at(path) != value;
    CHECK(different == 1);
  }
  CHECK(all == dsl::knob_neighbours(good(), cpp().files(), {}, 1));
  CHECK(all != dsl::knob_neighbours(good(), cpp().files(), {}, 2));
  CHECK(all.back().groups[0].knobs.size() == 1);
}

TEST_CASE("variations are written until there are no more, each another program") {
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  std::set<std::string> kernels;
  for (std::uint32_t k = 0;; ++k) {
    REQUIRE(k < 100);
    auto reply = rules_code({.plan = good(), .variation = k}, chain(), cpp(), *store);
    REQUIRE(reply);
    if (!reply->manifest) {
      CHECK(reply->remark == "no more variations");
      break;
    }
    CHECK(problems_of(reply->plan) == "");
    CHECK(store->get_record<messages::candidate_manifest>(reply->manifest_blob).value() == *reply->manifest);
    for (const auto& source : reply->manifest->sources)
      if (source.path == "kernel.cpp") CHECK(kernels.insert(source.blob.value).second);
  }
  CHECK(kernels.size() > 5);
}

/// chain() over another first dimension.
static messages::op_graph longer_chain(std::int64_t rows) {
  auto graph = chain();
  graph.values[0].spec = spec({rows, 3, 4});
  for (auto& node : graph.nodes) node.output = spec({rows, 3, 4});
  return graph;
}

TEST_CASE("a task with several shapes gets a variant for each, all in one candidate") {
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  std::vector graphs{chain(), longer_chain(1), longer_chain(70)};
  auto plans = rules_plan({.wanted = 1}, graphs, cpp());
  REQUIRE_MESSAGE(plans.plans.size() == 1, plans.remark);
  auto reply = rules_code({.plan = plans.plans.front()}, graphs, cpp(), *store);
  REQUIRE(reply);
  REQUIRE_MESSAGE(reply->manifest, reply->remark);
  const auto& manifest = *reply->manifest;
  CHECK(manifest.arguments.empty());
  REQUIRE(manifest.variants.size() == 3);
  CHECK(std::get<messages::c_abi_entry>(manifest.entry).function == "kernelmesh_run_0");
  CHECK(manifest.variants[2].function == "kernelmesh_run_2");
  CHECK(manifest.variants[2].outputs == std::vector{spec({70, 3, 4})});
  CHECK(manifest.variants[1].arguments.front().spec == spec({1, 3, 4}));
  std::set<std::string> paths;
  for (const auto& source : manifest.sources) paths.insert(source.path);
  for (auto path : {"kernel_0.cpp", "kernel_1.cpp", "kernel_2.cpp"}) CHECK(paths.contains(path));
}

TEST_CASE("a plan that does not fit every shape is none") {
  auto other = chain();
  other.nodes.pop_back();
  other.outputs = {"add"};
  std::vector graphs{chain(), other};
  auto reply = rules_plan({.wanted = 1}, graphs, cpp());
  CHECK(reply.plans.empty());
  CHECK_MESSAGE(reply.remark.starts_with("shape 2: groups[0]"), reply.remark);
}

TEST_CASE("shapes that nobody can tell apart by what is read are refused") {
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  auto reply = rules_code({.plan = good()}, std::vector{chain(), chain()}, cpp(), *store);
  REQUIRE(reply);
  CHECK(!reply->manifest);
  CHECK(reply->remark == "not covered: shapes that differ only in inputs which are not read");
}

TEST_CASE("an export of a kernel with another entry is refused") {
  messages::candidate_manifest manifest{.entry = messages::python_host_entry{}};
  CHECK(!cpp().export_candidate({manifest, {}, "task"}));
}

}  // namespace plans_test
