// One committed sample of every version of the forms in dsl/FORMS.md is read for ever.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "dsl/expression.hpp"
#include "dsl/op_graph.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/expression.hpp"
#include "messages/records/launch_record.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/plan.hpp"
#include "messages/wire/wire.hpp"

namespace forms_test {

namespace {

const auto root = std::filesystem::path{__FILE__}.parent_path().parent_path().parent_path();

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{root / file};
  REQUIRE_MESSAGE(in, file.string());
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The sample, which must also survive being written and read again.
template <class T>
T sample(const std::string& name) {
  auto x = wire::from_json<T>(text_of("tests/data/forms/" + name + ".json"));
  REQUIRE_MESSAGE(x, name);
  auto again = wire::from_json<T>(wire::to_json(*x));
  REQUIRE(again);
  CHECK(*again == *x);
  return *x;
}

const messages::tensor_spec matrix{messages::dtype::float32, {2, 3}, {3, 1}};

}  // namespace

TEST_CASE("The op graph of version 1 is read") {
  auto graph = sample<messages::op_graph>("op_graph_1");
  auto ok = dsl::check(graph);
  CHECK_MESSAGE(ok, (ok ? "" : ok.error().detail));
  CHECK(graph.task == "sample");
  CHECK(graph.training);
  CHECK(graph.flops == 9216);
  CHECK(graph.floor_bytes == 1444);
  CHECK(graph.outputs == std::vector<std::string>{"sum_1"});
  REQUIRE(graph.values.size() == 5);
  CHECK(graph.values[2]
        == messages::graph_value{.name = "p_conv_weight",
                                 .origin = messages::value_origin::parameter,
                                 .path = "conv.weight",
                                 .spec = {messages::dtype::float32, {8, 4, 1, 1}, {4, 1, 1, 1}}});
  CHECK(graph.values[4].number == 6.0);
}

TEST_CASE("Every kind of argument of an op graph is read") {
  auto graph = sample<messages::op_graph>("op_graph_1");
  dsl::graph_index index{graph};
  auto content = [&](const char* node, const char* name) {
    return dsl::find_argument(*index.node(node), name)->content;
  };
  CHECK(std::get<messages::value_argument>(content("mul", "self")).name == "convolution");
  CHECK(std::get<messages::values_argument>(content("cat", "tensors")).names.size() == 2);
  CHECK(std::get<messages::real_argument>(content("mul", "other")).number == 0.5);
  CHECK(std::get<messages::integer_argument>(content("convolution", "groups")).number == 1);
  CHECK(std::get<messages::integers_argument>(content("sum_1", "dim")).numbers == std::vector<std::int64_t>{2, 3});
  CHECK(std::get<messages::flag_argument>(content("sum_1", "keepdim")).on);
  CHECK(std::get<messages::text_argument>(content("gelu", "approximate")).text == "tanh");
  CHECK(std::holds_alternative<messages::none_argument>(content("convolution", "bias")));
}

TEST_CASE("The expression of version 1 is read and means what it meant") {
  auto x = sample<messages::expression>("expression_1");
  REQUIRE(dsl::check(x, 2));
  CHECK(dsl::evaluate(x, std::array{2.0, 3.0}).front() == 6.0);
  CHECK(dsl::evaluate(x, std::array{2.0, -3.0}).front() == -std::numeric_limits<double>::infinity());
}

TEST_CASE("The plan of version 1 is read") {
  auto plan = sample<messages::plan>("plan_1");
  REQUIRE(plan.groups.size() == 2);
  const auto& group = plan.groups.front();
  CHECK(group.recipe == "map");
  CHECK(group.nodes == std::vector<std::string>{"mul", "add", "gelu"});
  CHECK(group.knobs == messages::knob_values{{"block", std::int64_t{1024}}, {"store", std::string{"streaming"}}});
  CHECK(plan.groups.back().knobs.empty());
}

TEST_CASE("The candidate manifest of version 1 is read with each kind of entry") {
  auto library = sample<messages::candidate_manifest>("candidate_c_abi_1");
  CHECK(library.entry == messages::candidate_entry{messages::c_abi_entry{}});
  CHECK(library.outputs == std::vector{matrix});
  REQUIRE(library.arguments.size() == 2);
  CHECK(library.arguments[1].path == "linear.weight");
  CHECK(library.arguments[1].spec.dtype == messages::dtype::float16);
  CHECK(library.knobs.at("g0.block") == messages::knob_value{std::int64_t{1024}});
  CHECK(library.variants.empty());
  auto several = sample<messages::candidate_manifest>("candidate_c_abi_shapes_1");
  CHECK(several.arguments.empty());
  REQUIRE(several.variants.size() == 2);
  CHECK(several.variants[1].function == "kernelmesh_run_1");
  CHECK(several.variants[1].outputs.front().shape == std::vector<std::int64_t>{300, 3});
  auto launches = sample<messages::candidate_manifest>("candidate_launch_record_1");
  CHECK(std::get<messages::launch_record_entry>(launches.entry).record == "launches.json");
  CHECK(launches.origin == messages::candidate_origin::tuner);
  CHECK(launches.sources[1].path == "binaries/g0.cubin");
  auto module = sample<messages::candidate_manifest>("candidate_python_host_1");
  CHECK(std::get<messages::python_host_entry>(module.entry).symbol == "ModelNew");
  CHECK(module.plan.value.empty());
}

TEST_CASE("The launch record of version 1 is read") {
  auto record = sample<messages::launch_record>("launch_record_1");
  CHECK(record.images.front().name == "kernel.cu");
  CHECK(record.scratch == std::vector<std::uint64_t>{4096});
  REQUIRE(record.operations.size() == 2);
  CHECK(std::get<messages::memory_fill>(record.operations[0]).place.buffer == messages::buffer_kind::scratch);
  const auto& launch = std::get<messages::kernel_launch>(record.operations[1]);
  CHECK(launch.grid == messages::launch_extent{132, 1, 1});
  REQUIRE(launch.parameters.size() == 3);
  CHECK(launch.parameters[0].value.size() == 8);
  CHECK(launch.parameters[1].pointers.front().place.buffer == messages::buffer_kind::output);
  CHECK(launch.parameters[2].value == wire::bytes{std::byte{0}, std::byte{4}, std::byte{0}, std::byte{0}});
}

TEST_CASE("Every operator of an expression is documented") {
  auto forms = text_of("dsl/FORMS.md");
  for (auto name : enum_names(dsl::operation{})) {
    CHECK_MESSAGE(forms.find('`' + std::string{name} + '`') != std::string::npos, name);
  }
}

TEST_CASE("The examples of FORMS.md are accepted") {
  auto forms = text_of("dsl/FORMS.md");
  std::vector<std::string> examples;
  for (auto at = forms.find("```json\n"); at != std::string::npos; at = forms.find("```json\n", at + 1)) {
    examples.push_back(forms.substr(at + 8, forms.find("```", at + 8) - at - 8));
  }
  REQUIRE(examples.size() == 5);
  auto graph = wire::from_json<messages::op_graph>(examples[0]);
  REQUIRE(graph);
  CHECK(!!dsl::check(*graph));
  auto expression = wire::from_json<messages::expression>(examples[1]);
  REQUIRE(expression);
  CHECK(!!dsl::check(*expression, 2));
  auto plan = wire::from_json<messages::plan>(examples[2]);
  REQUIRE(plan);
  CHECK(plan->groups.front().nodes == std::vector<std::string>{"mul", "gelu"});
  auto candidate = wire::from_json<messages::candidate_manifest>(examples[3]);
  REQUIRE(candidate);
  CHECK(candidate->arguments.size() == 2);
  CHECK(!!wire::from_json<messages::launch_record>(examples[4]));
}

}  // namespace forms_test
