#include <cmath>
#include <limits>
#include <random>

#include "dsl/expression.hpp"
#include "messages/wire/wire.hpp"
#include "tests/dsl/cpp/written.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace map_kernel_test {

namespace {

using namespace dsl::testing;

/// Memory of one float tensor with the spec's strides.
struct block {
  messages::tensor_spec spec;
  std::vector<float> memory;

  kernelmesh_tensor lend() {
    return {memory.data(), spec.shape.data(), spec.strides.data(), static_cast<std::int32_t>(spec.shape.size()),
            static_cast<std::int32_t>(spec.dtype)};
  }
};

std::size_t extent(const messages::tensor_spec& x) {
  std::int64_t last = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) last += std::max<std::int64_t>(x.shape[i] - 1, 0) * x.strides[i];
  return static_cast<std::size_t>(last);
}

block random_block(const messages::tensor_spec& spec, std::mt19937& random) {
  std::normal_distribution<float> values{0, 2};
  block x{spec, std::vector<float>(extent(spec))};
  for (auto& value : x.memory) value = values(random);
  return x;
}

/// Strides of a random order of dimensions, with a gap now and then.
messages::tensor_spec shuffled(dsl::shape size, std::mt19937& random) {
  std::vector<std::size_t> order(size.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  messages::tensor_spec spec{messages::dtype::float32, size, std::vector<std::int64_t>(size.size())};
  std::int64_t next = 1 + static_cast<std::int64_t>(random() % 4 == 0);
  for (auto i : order) {
    spec.strides[i] = next;
    next *= std::max<std::int64_t>(size[i], 1) + static_cast<std::int64_t>(random() % 5 == 0);
  }
  return spec;
}

/// A chain of operators over three inputs that broadcast to one shape.
messages::op_graph random_graph(std::mt19937& random) {
  static const std::vector<std::string> unary{"relu", "tanh", "sigmoid", "gelu", "abs", "exp", "softplus", "selu"};
  static const std::vector<std::string> binary{"add", "mul", "sub", "maximum", "div"};
  dsl::shape whole(random() % 7);
  for (auto& size : whole) size = static_cast<std::int64_t>(random() % 5 == 0 ? 1 : 1 + random() % 6);
  if (random() % 12 == 0 && !whole.empty()) whole.front() = 0;
  messages::op_graph graph{.task = "random"};
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto size = whole;
    if (i > 0) {
      size.erase(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(random() % (size.size() + 1)));
      for (auto& x : size)
        if (random() % 3 == 0) x = 1;
    }
    graph.values.push_back({.name = "x" + std::to_string(i), .index = i, .spec = shuffled(size, random)});
  }
  std::string last = "x0";
  auto count = 1 + random() % 6;
  for (std::size_t i = 0; i < count; ++i) {
    auto name = "n" + std::to_string(i);
    if (random() % 2 == 0) {
      graph.nodes.push_back(node(name, unary[random() % unary.size()], {tensor("self", last)}, whole));
    } else {
      auto other = "x" + std::to_string(random() % 3);
      graph.nodes.push_back(
          node(name, binary[random() % binary.size()], {tensor("self", last), tensor("other", other)}, whole));
    }
    graph.nodes.back().output = shuffled(whole, random);
    last = name;
  }
  graph.outputs = {last};
  if (random() % 3 == 0 && graph.nodes.size() > 1) graph.outputs.push_back("n0");
  return graph;
}

/// The value of each operand as `evaluate` takes it.
std::vector<std::vector<double>> operands_of(const dsl::pointwise& x, const std::map<std::string, block>& inputs) {
  std::vector<std::vector<double>> memory;
  for (const auto& operand : x.operands) {
    const auto& from = inputs.at(operand.value).memory;
    memory.emplace_back(from.begin(), from.end());
  }
  return memory;
}

/// Elements in the order of the shape.
std::vector<float> elements_of(const block& x) {
  std::vector<float> values;
  auto count = dsl::elements(x.spec.shape);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t rest = n, at = 0;
    for (auto d = x.spec.shape.size(); d-- > 0; rest /= x.spec.shape[d])
      at += rest % x.spec.shape[d] * x.spec.strides[d];
    values.push_back(x.memory[static_cast<std::size_t>(at)]);
  }
  return values;
}

bool close(float got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::abs(want) > 3e38)
    return std::abs(static_cast<double>(got)) > 1e38 && std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= 1e-5 * (1 + std::abs(want));
}

/// Runs the kernel and compares each output with the meaning of the expression.
void check_kernel(const messages::op_graph& graph, decltype(&::kernelmesh_run) run, const written& candidate,
                  std::mt19937& random, bool other_strides) {
  std::map<std::string, block> inputs;
  for (const auto& value : graph.values) {
    inputs[value.name] = random_block(other_strides ? shuffled(value.spec.shape, random) : value.spec, random);
  }
  std::vector<kernelmesh_tensor> arguments;
  for (const auto& x : candidate.manifest.arguments)
    arguments.push_back(inputs.at("x" + std::to_string(x.index)).lend());
  std::vector<block> results;
  for (const auto& spec : candidate.manifest.outputs) {
    results.push_back(random_block(other_strides ? shuffled(spec.shape, random) : spec, random));
  }
  std::vector<kernelmesh_tensor> outputs;
  for (auto& x : results) outputs.push_back(x.lend());
  auto before = inputs;
  REQUIRE(run(arguments.data(), static_cast<std::int32_t>(arguments.size()), outputs.data(),
              static_cast<std::int32_t>(outputs.size()), 2, nullptr)
          == 0);
  for (const auto& [name, x] : inputs) CHECK(x.memory == before.at(name).memory);

  auto as_given = graph;
  for (auto& value : as_given.values) value.spec = inputs.at(value.name).spec;
  std::vector<std::string> nodes;
  for (const auto& x : graph.nodes) nodes.push_back(x.name);
  auto meaning = dsl::make_expression(dsl::graph_index{as_given}, nodes);
  REQUIRE(meaning);
  auto want = dsl::evaluate(*meaning, operands_of(*meaning, inputs));
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    auto got = elements_of(results[i]);
    auto at = std::size_t{0};
    while (meaning->results[at].node != graph.outputs[i]) ++at;
    REQUIRE(got.size() == want[at].size());
    for (std::size_t n = 0; n < got.size(); ++n) CHECK(close(got[n], want[at][n]));
  }
}

}  // namespace

TEST_CASE("a map kernel computes what the expression means, for any shape, strides and broadcasting") {
  for (std::uint32_t seed = 1; seed <= 14; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    auto graph = random_graph(random);
    CAPTURE(wire::to_json(graph));
    auto plan = first_plan(graph);
    CHECK(plan.groups.size() == 1);
    plan.groups[0].knobs = {{"streaming_stores", seed % 2 == 0 ? "on" : "off"},
                            {"math", seed % 3 == 0 ? "plain" : "vector"},
                            {"block", std::int64_t{4096}},
                            {"tile", std::int64_t{512}}};
    auto candidate = write(graph, plan);
    built kernel{candidate};
    check_kernel(graph, kernel.run, candidate, random, false);
    check_kernel(graph, kernel.run, candidate, random, true);
  }
}

TEST_CASE("several threads, tiles and blocks share one large tensor without gaps") {
  messages::op_graph graph{.task = "large",
                           .values = {input("x0", {3, 70001}), input("x1", {70001})},
                           .nodes = {node("n0", "mul", {tensor("self", "x0"), tensor("other", "x1")}, {3, 70001})},
                           .outputs = {"n0"}};
  graph.values[1].index = 1;
  for (const char* stores : {"on", "off"}) {
    for (const char* schedule : {"static", "dynamic"}) {
      auto plan = first_plan(graph);
      plan.groups[0].knobs = {{"streaming_stores", stores}, {"schedule", schedule}, {"block", std::int64_t{4096}}};
      auto candidate = write(graph, plan);
      std::mt19937 random{7};
      check_kernel(graph, built{candidate, "-O3"}.run, candidate, random, false);
    }
  }
}

TEST_CASE("groups of one plan hand tensors to each other") {
  auto graph = chain();
  auto plan = first_plan(graph);
  plan.groups = {{"first", "map", {"mul"}, {}}, {"second", "map", {"add", "relu"}, {}}};
  graph.values[0].name = "x0";
  graph.values[1].name = "x1";
  graph.nodes[0].arguments = {tensor("self", "x0"), tensor("other", "x1")};
  graph.values[1].origin = messages::value_origin::input;
  graph.values[1].index = 1;
  auto candidate = write(graph, plan);
  std::mt19937 random{3};
  check_kernel(graph, built{candidate}.run, candidate, random, false);
}

TEST_CASE("a kernel refuses other shapes, types and counts with a number") {
  auto graph = graph_of(node("y", "relu", {tensor("self", "a")}, {4}));
  auto candidate = write(graph, first_plan(graph));
  built kernel{candidate};
  block x{spec({4}), std::vector<float>(4)};
  block y{spec({4}), std::vector<float>(4)};
  auto in = x.lend(), out = y.lend();
  CHECK(kernel.run(&in, 1, &out, 1, 1, nullptr) == 0);
  CHECK(kernel.run(&in, 2, &out, 1, 1, nullptr) == 1);
  in.dtype = kernelmesh_float64;
  CHECK(kernel.run(&in, 1, &out, 1, 1, nullptr) == 2);
  in = x.lend();
  in.rank = 0;
  CHECK(kernel.run(&in, 1, &out, 1, 1, nullptr) == 3);
}

TEST_CASE("the map recipe writes what its golden file holds") {
  auto candidate = write(chain(), first_plan(chain()));
  const auto& text = candidate.sources.at("kernel.cpp");
  CHECK(golden("map_chain.cpp", text) == text);
}

TEST_CASE("a candidate names its arguments, outputs and all knobs, and the same request gives the same candidate") {
  auto candidate = write(chain(), first_plan(chain())).manifest;
  CHECK(candidate.dsl == "cpp");
  REQUIRE(candidate.arguments.size() == 2);
  CHECK(candidate.arguments[0].origin == messages::value_origin::input);
  CHECK(candidate.arguments[1].path == "scale");
  CHECK(candidate.outputs == std::vector{spec({2, 3, 4})});
  CHECK(candidate.knobs.at("g0.block") == messages::knob_value{std::int64_t{65536}});
  CHECK(candidate.knobs.size() == cpp().files().recipe("map")->manifest.knobs.size());
  CHECK(identify(candidate) == identify(write(chain(), first_plan(chain())).manifest));
}

}  // namespace map_kernel_test
