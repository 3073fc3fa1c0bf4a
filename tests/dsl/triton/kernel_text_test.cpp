// What the recipes write, without a compiler: test_triton_adapter.py and test_triton_kernels.py build it, tests/gpu
// runs it.

#include <cmath>

#include "dsl/printer.hpp"
#include "dsl/rules_coder.hpp"
#include "dsl/rules_planner.hpp"
#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/index_text.hpp"
#include "dsl/triton/language.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/records/launch_record.hpp"
#include "messages/wire/wire.hpp"
#include "tests/dsl/folders.hpp"
#include "tests/dsl/golden.hpp"
#include "tests/dsl/op_graphs.hpp"
#include "tests/dsl/reduction_nests.hpp"

namespace kernel_text_test {

namespace {

using namespace dsl::testing;
using messages::dtype;

const dsl::language& triton() {
  static const auto made = [] {
    auto files = dsl::load_language(KERNELMESH_SOURCE_FOLDER "/dsl/triton");
    REQUIRE_MESSAGE(files, files.error().detail);
    auto language = dsl::triton::make_language(*files);
    REQUIRE_MESSAGE(language, language.error().detail);
    return *language;
  }();
  return *made;
}

messages::device_info hopper() {
  messages::device_info device;
  device.kind = "cuda";
  device.arch = "sm_90a";
  device.limits = {{"multiprocessors", 132}, {"threads_a_block", 1024}, {"shared_memory_bytes_a_block", 232448}};
  return device;
}

struct written {
  messages::plan plan;
  messages::candidate_manifest manifest;
  std::map<std::string, std::string> sources;
};

written write(const messages::op_graph& graph, const messages::knob_values& knobs = {}) {
  messages::plan_request about{.wanted = 1};
  about.about.device = hopper();
  auto planned = dsl::rules_plan(about, graph, triton());
  REQUIRE_MESSAGE(planned.plans.size() == 1, planned.remark);
  auto plan = planned.plans.front();
  for (auto& group : plan.groups) group.knobs = knobs;
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  messages::code_request request{.plan = plan};
  request.about.device = hopper();
  auto reply = dsl::rules_code(request, graph, triton(), *store);
  REQUIRE(reply);
  REQUIRE_MESSAGE(reply->manifest, reply->remark);
  written result{plan, *reply->manifest, {}};
  for (const auto& source : result.manifest.sources) result.sources[source.path] = store->get(source.blob).value();
  return result;
}

messages::launch_record record_of(const written& x) {
  auto record = wire::from_json<messages::launch_record>(x.sources.at("launches.json"));
  REQUIRE(record);
  return *record;
}

void check_golden(const std::string& name, const std::string& text) { CHECK(golden(name, text) == text); }

messages::op_graph product(std::int64_t size) {
  messages::op_graph graph{.task = "product",
                           .values = {input("a", {size, size}), input("b", {size, size})},
                           .nodes = {node("mm", "mm", {tensor("self", "a"), tensor("mat2", "b")}, {size, size}),
                                     node("relu", "relu", {tensor("self", "mm")}, {size, size})},
                           .outputs = {"relu"}};
  graph.values[1].index = 1;
  return graph;
}

messages::op_graph row_sum(std::int64_t rows, std::int64_t length) {
  auto sum = node("sum", "sum", {tensor("self", "x"), integers("dim", {1})}, {rows});
  return {.task = "sum", .values = {input("x", {rows, length})}, .nodes = {sum}, .outputs = {"sum"}};
}

}  // namespace

TEST_CASE("a place is written with as few divisions as the tensor's strides allow") {
  using dsl::triton::place_text;
  CHECK(place_text("at", {4, 5}, {5, 1}) == "at");
  CHECK(place_text("at", {4, 5}, {10, 2}) == "at * 2");
  CHECK(place_text("at", {4, 5}, {0, 0}) == "0");
  CHECK(place_text("at", {4, 5}, {0, 1}) == "at % 5");
  CHECK(place_text("at", {4, 5}, {1, 0}) == "at // 5");
  CHECK(place_text("at", {4, 5}, {7, 1}) == "(at // 5) * 7 + at % 5");
  CHECK(place_text("at", {2, 4, 5}, {1, 0, 2}) == "at // 20 + (at % 5) * 2");
  CHECK(place_text("at", {2, 4, 5}, {0, 3, 0}) == "((at // 5) % 4) * 3");
  CHECK(place_text("at", {1, 5, 1}, {9, -1, 3}) == "at * -1");
}

TEST_CASE("expressions keep the edges of IEEE arithmetic") {
  using dsl::operation;
  dsl::triton::triton_printer single{dtype::float32, {"x"}};
  auto unary = [&](const dsl::triton::triton_printer& of, operation op) {
    return of.apply(op, std::vector<std::string>{"x"});
  };
  auto binary = [&](const dsl::triton::triton_printer& of, operation op, const std::string& y) {
    return of.apply(op, std::vector<std::string>{"x", y});
  };
  CHECK(unary(single, operation::neg) == "(x * -1.0)");
  CHECK(unary(single, operation::sqrt) == "tl.sqrt_rn(x)");
  CHECK(unary(single, operation::exp) == "libdevice.exp(x)");
  CHECK(binary(single, operation::div, "y") == "tl.div_rn(x, y)");
  CHECK(binary(single, operation::max, "0.0") == "km_maximum(x, 0.0)");
  CHECK(binary(single, operation::pow, "2.0") == "(x * x)");
  CHECK(single.apply(operation::div, std::vector<std::string>{"1.0", "0.0"})
        == "tl.div_rn(tl.full([], 1.0, tl.float32), tl.full([], 0.0, tl.float32))");
  CHECK(single.number(-INFINITY) == "float(\"-inf\")");
  CHECK(single.number(0.1) == "0.1");
  dsl::triton::triton_printer wide{dtype::float64, {"x"}};
  CHECK(unary(wide, operation::sqrt) == "tl.sqrt(x)");
  CHECK(binary(wide, operation::div, "y") == "(x / y)");
  CHECK(binary(wide, operation::mul, "0.1") == "(x * tl.full([], 0.1, tl.float64))");
  CHECK(binary(wide, operation::max, "0.1") == "km_maximum(x, tl.full([], 0.1, tl.float64))");
}

TEST_CASE("a candidate is a launch record and a file of kernels, the same for the same request") {
  auto candidate = write(chain());
  REQUIRE(std::holds_alternative<messages::launch_record_entry>(candidate.manifest.entry));
  CHECK(candidate.manifest.dsl == "triton");
  CHECK(candidate.sources.size() == 2);
  CHECK(identify(candidate.manifest) == identify(write(chain()).manifest));
  auto record = record_of(candidate);
  REQUIRE(record.images.size() == 1);
  CHECK(record.images[0].name == "kernels.py");
  REQUIRE(record.operations.size() == 1);
  const auto& launch = std::get<messages::kernel_launch>(record.operations[0]);
  CHECK(launch.kernel == "group_g0");
  CHECK(launch.parameters.size() == 3);
}

TEST_CASE("the recipes of triton write what their golden files hold") {
  check_golden("triton_map_chain.txt", write(chain()).sources.at("kernels.py"));
  check_golden("triton_scaled_softmax.txt", write(scaled_softmax()).sources.at("kernels.py"));
  check_golden("triton_mean_of_maxima.txt", write(mean_of_maxima()).sources.at("kernels.py"));
  check_golden("triton_planes.txt", write(product(2048)).sources.at("kernels.py"));
  check_golden("triton_divided_sum.txt", write(row_sum(2, 1 << 20)).sources.at("kernels.py"));
}

TEST_CASE("few long rows are divided between programs, many rows and short ones are not") {
  auto launches = [](std::int64_t rows, std::int64_t length, const messages::knob_values& knobs = {}) {
    return record_of(write(row_sum(rows, length), knobs)).operations.size();
  };
  CHECK(launches(2, 1 << 20) == 2);
  CHECK(launches(2, 1 << 20, {{"split", "off"}}) == 1);
  CHECK(launches(4096, 1 << 16) == 1);
  CHECK(launches(4096, 1 << 16, {{"split", "on"}}) == 2);
  CHECK(launches(2, 100) == 1);
}

TEST_CASE("a large product of float32 goes over planes, a small one does not") {
  auto large = record_of(write(product(2048)));
  CHECK(large.operations.size() == 4);
  CHECK(large.scratch.size() == 6);
  CHECK(record_of(write(product(128))).operations.size() == 1);
  CHECK(write(product(128)).sources.at("kernels.py").find("input_precision=\"bf16x6\"") != std::string::npos);
}

TEST_CASE("an export holds the kernels as code and the record beside them") {
  auto candidate = write(chain());
  auto text = triton().export_candidate({candidate.manifest, candidate.sources, "chain", nullptr});
  REQUIRE_MESSAGE(text, text.error().detail);
  CHECK(text->find("class ModelNew(nn.Module):") != std::string::npos);
  CHECK(text->find("def group_g0(x0, x1, y0, BLOCK: tl.constexpr):") != std::string::npos);
  candidate.sources.erase("launches.json");
  CHECK(!triton().export_candidate({candidate.manifest, candidate.sources, "chain", nullptr}));
}

}  // namespace kernel_text_test
