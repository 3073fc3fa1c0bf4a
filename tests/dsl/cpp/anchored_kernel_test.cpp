// Kernels around an anchor: the text of each recipe. What they compute is tested against torch in
// test_anchored_kernels.py.

#include "tests/dsl/cpp/written.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace anchored_kernel_test {

namespace {

using namespace dsl::testing;

messages::graph_argument integers(std::string name, std::vector<std::int64_t> xs) {
  return {std::move(name), messages::integers_argument{std::move(xs)}};
}
messages::graph_argument integer(std::string name, std::int64_t x) {
  return {std::move(name), messages::integer_argument{x}};
}

/// y = relu(max_pool2d(x * scale)).
messages::op_graph pool() {
  return {.task = "pool",
          .values = {input("x", {2, 3, 8, 9}),
                     {.name = "scale",
                      .origin = messages::value_origin::parameter,
                      .path = "scale",
                      .spec = spec({3, 1, 1})}},
          .nodes = {node("mul", "mul", {tensor("self", "x"), tensor("other", "scale")}, {2, 3, 8, 9}),
                    node("pool", "max_pool2d_with_indices",
                         {tensor("self", "mul"), integers("kernel_size", {3, 3}), integers("stride", {2, 2}),
                          integers("padding", {1, 1})},
                         {2, 3, 4, 5}),
                    node("relu", "relu", {tensor("self", "pool")}, {2, 3, 4, 5})},
          .outputs = {"relu"}};
}

/// A running sum from the end on, less one.
messages::op_graph scan() {
  return {.task = "scan",
          .values = {input("x", {3, 100})},
          .nodes = {node("turned", "flip", {tensor("self", "x"), integers("dims", {1})}, {3, 100}),
                    node("scan", "cumsum", {tensor("self", "turned"), integer("dim", 1)}, {3, 100}),
                    node("back", "flip", {tensor("self", "scan"), integers("dims", {1})}, {3, 100}),
                    node("less", "sub", {tensor("self", "back"), real("other", 1)}, {3, 100})},
          .outputs = {"less"}};
}

/// A depthwise convolution with stride 2 and bias, between two activations.
messages::op_graph convolution() {
  return {.task = "conv",
          .values = {input("x", {2, 3, 8, 9}), input("w", {6, 1, 3, 3}), input("b", {6})},
          .nodes = {node("tanh", "tanh", {tensor("self", "x")}, {2, 3, 8, 9}),
                    node("conv", "convolution",
                         {tensor("input", "tanh"), tensor("weight", "w"), tensor("bias", "b"),
                          integers("stride", {2, 2}), integers("padding", {1, 1}), integer("groups", 3)},
                         {2, 6, 4, 5}),
                    node("relu", "relu", {tensor("self", "conv")}, {2, 6, 4, 5})},
          .outputs = {"relu"}};
}

/// y = gelu(bias + x * transposed weight).
messages::op_graph product() {
  return {.task = "product",
          .values = {input("x", {20, 30}), input("w", {40, 30}), input("b", {40})},
          .nodes = {node("t", "t", {tensor("self", "w")}, {30, 40}),
                    node("product", "addmm", {tensor("self", "b"), tensor("mat1", "x"), tensor("mat2", "t")}, {20, 40}),
                    node("gelu", "gelu", {tensor("self", "product")}, {20, 40})},
          .outputs = {"gelu"}};
}

void check_golden(const messages::op_graph& graph, const std::string& recipe) {
  CAPTURE(recipe);
  auto plan = first_plan(graph);
  REQUIRE(plan.groups.size() == 1);
  CHECK(plan.groups[0].recipe == recipe);
  auto text = write(graph, plan).sources.at("kernel.cpp");
  CHECK(golden(recipe + ".cpp", text) == text);
}

}  // namespace

TEST_CASE("each recipe around an anchor writes what its golden file holds") {
  check_golden(pool(), "pool");
  check_golden(scan(), "scan");
  check_golden(convolution(), "dwconv");
  check_golden(product(), "gemm");
}

TEST_CASE("groups of different recipes are one program") {
  auto graph = pool();
  auto plan = first_plan(graph);
  plan.groups = {{"first", "map", {"mul"}, {}}, {"second", "pool", {"pool", "relu"}, {}}};
  auto text = write(graph, plan).sources.at("kernel.cpp");
  CHECK(text.find("#include \"pool_loop.hpp\"") != std::string::npos);
  CHECK(text.find("namespace group_first") < text.find("namespace group_second"));
  built{write(graph, plan)};
}

TEST_CASE("support headers of all recipes live together in one program") {
  temporary_folder folder;
  std::string program;
  for (const auto& [path, text] : cpp().files().support) {
    folder.write(path, text);
    program += "#include \"" + path + "\"\n";
  }
  folder.write("all.cpp", program);
  auto command =
      "cd " + folder.path.string()
      + " && g++ -std=c++20 -fopenmp -Wall -Wextra -Werror -Wno-unused-function -march=native -fsyntax-only all.cpp";
  CHECK(std::system(command.c_str()) == 0);
}

}  // namespace anchored_kernel_test
