// Random reductions as kernels against the meaning of their nests.

#include <cmath>
#include <random>

#include "dsl/reduction_nest.hpp"
#include "messages/wire/wire.hpp"
#include "tests/dsl/cpp/written.hpp"
#include "tests/dsl/reduction_nests.hpp"

namespace reduction_kernel_test {

namespace {

using namespace dsl::testing;
using numbers = std::vector<double>;

std::size_t extent(const messages::tensor_spec& x) {
  std::int64_t last = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) last += std::max<std::int64_t>(x.shape[i] - 1, 0) * x.strides[i];
  return static_cast<std::size_t>(last);
}

/// Strides of a random order of dimensions.
messages::tensor_spec shuffled(dsl::shape size, std::mt19937& random) {
  std::vector<std::size_t> order(size.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  messages::tensor_spec spec{messages::dtype::float32, size, std::vector<std::int64_t>(size.size())};
  std::int64_t next = 1;
  for (auto i : order) {
    spec.strides[i] = next;
    next *= std::max<std::int64_t>(size[i], 1) + static_cast<std::int64_t>(random() % 6 == 0);
  }
  return spec;
}

/// Some element-wise work, one reduction over random dimensions, and what may follow it.
messages::op_graph random_graph(std::mt19937& random) {
  static const std::vector<std::string> reductions{
      "sum", "mean", "amax", "amin", "logsumexp", "var", "linalg_vector_norm"};
  dsl::shape whole(1 + random() % 4);
  for (auto& size : whole) size = static_cast<std::int64_t>(random() % 5 == 0 ? 1 : 1 + random() % 40);
  auto left = whole;
  std::vector<std::int64_t> dims;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (random() % 2 == 0) dims.push_back(static_cast<std::int64_t>(d)), left[d] = 1;
  }
  if (dims.empty()) dims.push_back(0), left[0] = 1;
  messages::op_graph graph{.task = "random", .values = {input("x0", whole), input("x1", left)}};
  graph.values[0].spec = shuffled(whole, random);
  graph.values[1].index = 1;
  graph.nodes = {node("shifted", "add", {tensor("self", "x0"), tensor("other", "x1")}, whole),
                 node("reduced", reductions[random() % reductions.size()],
                      {tensor("self", "shifted"), integers("dim", dims), flag("keepdim", true)}, left)};
  if (graph.nodes[1].op == "aten.var") graph.nodes[1].arguments.push_back(real("correction", 0));
  switch (random() % 4) {
    case 0: graph.outputs = {"reduced"}; break;
    case 1:
      graph.nodes.push_back(node("back", "sub", {tensor("self", "x0"), tensor("other", "reduced")}, whole));
      graph.nodes.back().output = shuffled(whole, random);
      graph.outputs = {"back", "reduced"};
      break;
    case 2:
      graph.nodes.push_back(node("all", "mean", {tensor("self", "reduced")}, {}));
      graph.outputs = {"all"};
      break;
    default: graph.nodes.push_back(node("bent", "tanh", {tensor("self", "reduced")}, left)); graph.outputs = {"bent"};
  }
  return graph;
}

std::vector<float> random_memory(const messages::tensor_spec& spec, std::mt19937& random) {
  std::normal_distribution<float> values{0.5, 1};
  std::vector<float> memory(extent(spec));
  for (auto& x : memory) x = values(random);
  return memory;
}

kernelmesh_tensor lend(std::vector<float>& memory, const messages::tensor_spec& spec) {
  return {memory.data(), spec.shape.data(), spec.strides.data(), static_cast<std::int32_t>(spec.shape.size()),
          static_cast<std::int32_t>(spec.dtype)};
}

/// All of a nest's targets by name.
std::map<std::string, numbers> meaning(const messages::op_graph& graph, const std::vector<std::vector<float>>& inputs) {
  auto nest = dsl::make_nest(dsl::graph_index{graph}, all_nodes(graph));
  REQUIRE_MESSAGE(nest, nest.error().detail);
  std::vector<numbers> memory;
  for (const auto& operand : nest->operands) {
    const auto& from = inputs[operand.name == "x0" ? 0 : 1];
    memory.emplace_back(from.begin(), from.end());
  }
  auto written = evaluate(*nest, memory);
  std::map<std::string, numbers> all;
  std::size_t i = 0;
  for (const auto* results : {&nest->each_kept, &nest->each_element, &nest->once}) {
    for (const auto& target : results->targets) all[target.name] = written[i++];
  }
  return all;
}

bool close(float got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  return std::abs(got - want) <= 2e-5 * (1 + std::abs(want));
}

void check_kernel(const messages::op_graph& graph, const written& candidate, const built& kernel,
                  std::mt19937& random) {
  std::vector<std::vector<float>> inputs;
  for (const auto& value : graph.values) inputs.push_back(random_memory(value.spec, random));
  std::vector<kernelmesh_tensor> arguments;
  for (const auto& x : candidate.manifest.arguments) arguments.push_back(lend(inputs[x.index], x.spec));
  std::vector<std::vector<float>> results;
  for (const auto& spec : candidate.manifest.outputs) results.emplace_back(extent(spec), 0.0f);
  std::vector<kernelmesh_tensor> outputs;
  for (std::size_t i = 0; i < results.size(); ++i) outputs.push_back(lend(results[i], candidate.manifest.outputs[i]));
  REQUIRE(kernel.run(arguments.data(), static_cast<std::int32_t>(arguments.size()), outputs.data(),
                     static_cast<std::int32_t>(outputs.size()), 2, nullptr)
          == 0);
  auto want = meaning(graph, inputs);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const auto& exact = want.at(graph.outputs[i]);
    REQUIRE(exact.size() == results[i].size());
    for (std::size_t n = 0; n < exact.size(); ++n) CHECK(close(results[i][n], exact[n]));
  }
}

/// The text of the plan's kernel against tests/data/golden/NAME.cpp.
void check_golden(const messages::op_graph& graph, const std::string& name, const std::string& recipe) {
  auto plan = first_plan(graph);
  REQUIRE(plan.groups.size() == 1);
  CHECK(plan.groups[0].recipe == recipe);
  auto text = write(graph, plan).sources.at("kernel.cpp");
  CHECK(golden(name + ".cpp", text) == text);
}

}  // namespace

TEST_CASE("a reduction kernel computes what its nest means, for any shape, strides and dimensions") {
  for (std::uint32_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    auto graph = random_graph(random);
    CAPTURE(wire::to_json(graph));
    auto plan = first_plan(graph);
    if (plan.groups.size() != 1) continue;  // nothing is reduced where all those dimensions are 1
    if (plan.groups[0].recipe == "map") continue;
    plan.groups[0].knobs = {{"split", seed % 3 == 0 ? "on" : "auto"},
                            {"partial", std::int64_t{seed % 2 == 0 ? 16 : 64}}};
    auto candidate = write(graph, plan);
    check_kernel(graph, candidate, built{candidate}, random);
  }
}

TEST_CASE("a row that is divided between threads gives the same sum as by one") {
  messages::op_graph graph{.task = "large",
                           .values = {input("x0", {2, 100003}), input("x1", {2, 1})},
                           .nodes = {node("n", "add", {tensor("self", "x0"), tensor("other", "x1")}, {2, 100003}),
                                     node("s", "mean", {tensor("self", "n"), integers("dim", {1})}, {2})},
                           .outputs = {"s"}};
  graph.values[1].index = 1;
  for (const char* split : {"on", "off"}) {
    auto plan = first_plan(graph);
    plan.groups[0].knobs = {{"split", split}};
    auto candidate = write(graph, plan);
    std::mt19937 random{5};
    check_kernel(graph, candidate, built{candidate, "-O3"}, random);
  }
}

TEST_CASE("the recipes for reductions write what their golden files hold") {
  check_golden(scaled_softmax(), "scaled_softmax", "rownorm");
  check_golden(mean_of_maxima(), "mean_of_maxima", "colred");
  auto rows = mean_of_maxima();
  rows.nodes[0] = node("top", "amax", {tensor("self", "x"), integers("dim", {1})}, {5});
  check_golden(rows, "mean_of_row_maxima", "rowred");
}

TEST_CASE("what no reduction is in stays a map") { CHECK(first_plan(chain()).groups[0].recipe == "map"); }

}  // namespace reduction_kernel_test
