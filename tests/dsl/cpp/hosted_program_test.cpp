// Plans with groups that a library computes: which nodes these are, and the Python file that calls it.

#include "dsl/cpp/hosted_program.hpp"
#include "dsl/cpp/operator_call.hpp"
#include "dsl/plan_checker.hpp"
#include "tests/dsl/cpp/written.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace hosted_program_test {

namespace {

using namespace dsl::testing;
using messages::graph_node;
using messages::value_origin;

messages::graph_value held(std::string name, value_origin origin, std::string path, dsl::shape size) {
  return {.name = std::move(name), .origin = origin, .path = std::move(path), .spec = spec(std::move(size))};
}

messages::graph_argument integers(std::string name, std::vector<std::int64_t> xs) {
  return {std::move(name), messages::integers_argument{std::move(xs)}};
}

messages::graph_argument flag(std::string name, bool on) { return {std::move(name), messages::flag_argument{on}}; }

graph_node convolution(std::string name, const std::string& of) {
  return node(std::move(name), "convolution",
              {tensor("input", of),
               tensor("weight", "p_conv_weight"),
               {"bias", messages::none_argument{}},
               integers("stride", {1, 1}),
               integers("padding", {0, 0}),
               flag("transposed", false)},
              {2, 4, 6, 6});
}

/// -max_pool(relu(conv(x) * 0.5 + scale)) with its places, and a buffer that becomes 0.5 in the end.
messages::op_graph mixed() {
  auto pool =
      node("pool", "max_pool2d_with_indices", {tensor("self", "relu"), integers("kernel_size", {2, 2})}, {2, 4, 3, 3});
  auto places = pool;
  places.name = "places";
  places.result = 1;
  places.output = spec({2, 4, 3, 3}, messages::dtype::int64);
  return {.task = "mixed",
          .values = {input("input_0", {2, 3, 8, 8}),
                     held("p_conv_weight", value_origin::parameter, "conv.weight", {4, 3, 3, 3}),
                     held("p_scale", value_origin::parameter, "scale", {4, 1, 1}),
                     held("b_last", value_origin::buffer, "last", {2, 4, 6, 6}),
                     {.name = "c_half", .origin = value_origin::constant, .spec = spec({}), .number = 0.5}},
          .nodes = {convolution("conv", "input_0"),
                    node("mul", "mul", {tensor("self", "conv"), tensor("other", "c_half")}, {2, 4, 6, 6}),
                    node("view", "view", {tensor("self", "p_scale"), integers("size", {4, 1, 1})}, {4, 1, 1}),
                    node("add", "add", {tensor("self", "mul"), tensor("other", "view")}, {2, 4, 6, 6}),
                    node("relu", "relu", {tensor("self", "add")}, {2, 4, 6, 6}), pool, places,
                    node("lambda", "neg", {tensor("self", "pool")}, {2, 4, 3, 3}),
                    node("keep", "copy_", {tensor("self", "b_last"), tensor("src", "c_half")}, {2, 4, 6, 6})},
          .outputs = {"lambda", "places"}};
}

messages::plan_reply planned(const messages::op_graph& graph, bool allow = true) {
  static const auto narrow = cpp_with({"map", "library"});
  return rules_plan({.wanted = 1, .allow_library_calls = allow}, graph, *narrow);
}

messages::plan plan_of(const messages::op_graph& graph) {
  auto reply = planned(graph);
  REQUIRE_MESSAGE(reply.plans.size() == 1, reply.remark);
  return reply.plans.front();
}

std::string text_of(const graph_node& x) {
  auto text = dsl::cpp::operator_call(x);
  return text ? text->text() : text.error().detail;
}

graph_node normalized(std::string name, std::uint32_t result) {
  auto x = node(std::move(name), "native_batch_norm",
                {tensor("input", "x"), tensor("running_mean", "b_mean"), tensor("running_var", "b_var"),
                 flag("training", true), real("momentum", 0.1), real("eps", 1e-5)},
                {8, 4});
  x.result = result;
  return x;
}

/// relu(batch_norm(x)) + the running mean as it was before.
messages::op_graph normalizing() {
  return {.task = "normalizing",
          .values = {input("x", {8, 4}), held("b_mean", value_origin::buffer, "mean", {4}),
                     held("b_var", value_origin::buffer, "var", {4})},
          .nodes = {node("before", "neg", {tensor("self", "b_mean")}, {4}), normalized("norm", 0),
                    node("relu", "relu", {tensor("self", "norm")}, {8, 4}),
                    node("add", "add", {tensor("self", "relu"), tensor("other", "before")}, {8, 4})},
          .outputs = {"add"}};
}

}  // namespace

TEST_CASE("without leave nothing goes to the library, and the remark says which flag would help") {
  auto reply = planned(mixed(), false);
  CHECK(reply.plans.empty());
  CHECK(reply.remark
        == "not covered: aten.convolution, aten.copy_, aten.max_pool2d_with_indices; --allow-library-calls "
           "would leave this to the library");
}

static std::string groups_of(const messages::plan& x) {
  std::string text;
  for (const auto& group : x.groups) {
    text += (text.empty() ? "" : "; ") + group.recipe + ":";
    for (const auto& node : group.nodes) text += ' ' + node;
  }
  return text;
}

TEST_CASE("with leave the library gets what no kernel covers, and views do not part the kernels") {
  auto x = plan_of(mixed());
  CHECK(groups_of(x) == "library: conv view keep; map: mul add relu; library: pool places; map: lambda");
}

TEST_CASE("a plan says what is left to the library, views aside") {
  auto graph = mixed();
  graph.nodes[0].flops = 7;
  CHECK(plan_of(graph).remark
        == "as much as possible in one kernel; left to the library: aten.convolution, aten.copy_, "
           "aten.max_pool2d_with_indices; static blocks, large results past the cache");
}

TEST_CASE("a task that the library would compute alone is not covered") {
  auto graph = mixed();
  graph.nodes = {graph.nodes[0]};
  graph.outputs = {"conv"};
  CHECK(planned(graph).remark == "not covered: aten.convolution");
  CHECK(planned(graph, false).remark == "not covered: aten.convolution");
}

TEST_CASE("nobody computes other namespaces, random numbers, and constants that are not in the state") {
  auto graph = mixed();
  graph.nodes[0].op = "torchvision.nms";
  CHECK(planned(graph).remark == "not covered: torchvision.nms");
  graph.nodes[0].op = "aten.bernoulli";
  CHECK(planned(graph).remark.starts_with("not covered: aten.bernoulli"));
  graph = mixed();
  graph.values[1] = held("p_conv_weight", value_origin::constant, "weight", {4, 3, 3, 3});
  CHECK(planned(graph).remark == "not covered: aten.convolution");
}

TEST_CASE("the model's file is what its golden file holds") {
  auto candidate = write(mixed(), plan_of(mixed()));
  const auto& text = candidate.sources.at("model.py");
  CHECK(golden("model_mixed.py", text) == text);
  CHECK(candidate.manifest.entry == messages::candidate_entry{messages::python_host_entry{}});
  CHECK(identify(candidate.manifest) == identify(write(mixed(), plan_of(mixed())).manifest));
}

TEST_CASE("kernels that run one after the other are one function, and hand tensors on without Python") {
  auto graph = mixed();
  auto x = plan_of(graph);
  x.groups[1].nodes = {"mul", "add"};
  x.groups.insert(x.groups.begin() + 2, {"late", "map", {"relu"}, {}});
  auto candidate = write(graph, x);
  const auto& kernel = candidate.sources.at("kernel.cpp");
  CHECK(kernel.find("int kernelmesh_run_g1(") != std::string::npos);
  CHECK(kernel.find("int kernelmesh_run_late(") == std::string::npos);
  CHECK(kernel.find("km::scratch between_add(") != std::string::npos);
  CHECK(candidate.sources.at("model.py").find("relu = self._kernel_g1(conv, view)") != std::string::npos);
}

TEST_CASE("a kernel whose only result is a buffer's content is called for that") {
  auto graph = mixed();
  std::vector<dsl::group_text> groups{
      {.name = "g0", .text = "", .reads = {"input_0"}, .writes = {"conv"}, .library = true},
      {.name = "g1", .text = "", .reads = {"b_last", "conv"}, .writes = {}}};
  auto x = dsl::cpp::hosted_program(cpp().files(), dsl::graph_index{graph}, groups);
  REQUIRE_MESSAGE(x, x.error().detail);
  CHECK(x->sources.at("model.py").find("        self._kernel_g1(b_last, conv)\n        del conv\n")
        != std::string::npos);
}

TEST_CASE("an export holds the model and builds its library itself") {
  auto x = write(mixed(), plan_of(mixed()));
  auto text = cpp().export_candidate({x.manifest, x.sources, "mixed"});
  REQUIRE_MESSAGE(text, text.error().detail);
  CHECK(text->find("class ModelNew(nn.Module)") != std::string::npos);
  CHECK(text->find(".artifact") == std::string::npos);
  CHECK(text->find("\"model.py\"") == std::string::npos);
  CHECK(text->find("\"kernel.cpp\"") != std::string::npos);
  x.sources["model.py"] = "class ModelNew: pass";
  CHECK(!cpp().export_candidate({x.manifest, x.sources, "mixed"}));
}

TEST_CASE("arguments become Python values by their kind") {
  CHECK(text_of(node("y", "relu", {tensor("self", "x")}, {4})) == "aten.relu.default(x)");
  CHECK(text_of(node("y", "where", {tensor("condition", "lambda"), tensor("self", "b_")}, {4}))
        == "aten.where.default(condition=lambda_, self=b__)");
  CHECK(text_of(node("y", "cat", {{"tensors", messages::values_argument{{"a", "", "b"}}}}, {4}))
        == "aten.cat.default(tensors=[a, None, b])");
  auto infinity = std::numeric_limits<double>::infinity();
  CHECK(text_of(node("y", "clamp", {tensor("self", "x"), real("min", -infinity), real("max", 1)}, {4}))
        == "aten.clamp.default(x, min=float(\"-inf\"), max=1.0)");
  CHECK(text_of(node("y", "gelu", {tensor("self", "x"), text("approximate", "tanh")}, {4}))
        == "aten.gelu.default(x, approximate=\"tanh\")");
  CHECK(text_of(node("y", "full", {integers("size", {2}), real("fill_value", 0.1), text("dtype", "int64")}, {2}))
        == "aten.full.default(size=[2], fill_value=0.1, dtype=torch.int64)");
  CHECK(text_of(node("y", "upsample", {tensor("self", "x"), text("scale_factors", "[2.0, 0.5]")}, {2}))
        == "aten.upsample.default(x, scale_factors=[2.0, 0.5])");
}

TEST_CASE("a text of the graph can't become Python code") {
  CHECK(text_of(node("y", "gelu", {tensor("self", "x"), text("approximate", "\"); import os; (\"")}, {4}))
        == "aten.gelu.default(x, approximate=\"\\\"); import os; (\\\"\")");
  CHECK(text_of(node("y", "gelu", {tensor("self", "x"), text("approximate", "a\nb")}, {4}))
        == "argument approximate holds a text that can't be written");
  CHECK(text_of(node("y", "gelu", {tensor("self", "x"), text("dtype", "float32; exit()")}, {4}))
        == "aten.gelu.default(x, dtype=\"float32; exit()\")");
  CHECK(text_of(node("y", "relu(0); exit", {tensor("self", "x")}, {4}))
        == "aten.relu_0___exit is no operator of torch");
}

TEST_CASE("a batch norm in training is called once, after who reads its buffers before") {
  auto graph = normalizing();
  auto x = plan_of(graph);
  REQUIRE(x.groups.size() > 1);
  CHECK(x.groups.front().nodes == std::vector<std::string>{"before"});
  std::swap(x.groups[0], x.groups[1]);
  auto problems = dsl::check_plan(x, dsl::graph_index{graph}, cpp(), {});
  CHECK(to_string(problems) == "groups[0].nodes: norm changes b_mean, which before of groups[1] reads before");
  graph.nodes.insert(graph.nodes.begin() + 2, normalized("mean", 1));
  graph.nodes[2].output = spec({4});
  graph.outputs.push_back("mean");
  CHECK(planned(graph).remark == "not covered: aten.native_batch_norm");
}

}  // namespace hosted_program_test
