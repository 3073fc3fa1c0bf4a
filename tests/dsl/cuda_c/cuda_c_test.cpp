#include "dsl/cuda_c/language.hpp"

#include <doctest/doctest.h>

#include "dsl/cuda_c/access.hpp"
#include "dsl/rules_coder.hpp"
#include "dsl/rules_planner.hpp"
#include "messages/blobs/blob_store.hpp"
#include "tests/dsl/folders.hpp"
#include "tests/dsl/golden.hpp"
#include "tests/dsl/reduction_nests.hpp"

namespace cuda_c_test {

namespace {

using namespace dsl::testing;
using dsl::cuda_c::access;
using dsl::cuda_c::way;
using messages::kernel_launch;

const dsl::language& cuda_c() {
  static const auto made = [] {
    auto files = dsl::load_language(KERNELMESH_SOURCE_FOLDER "/dsl/cuda_c");
    REQUIRE_MESSAGE(files, files.error().detail);
    auto language = dsl::cuda_c::make_language(*files);
    REQUIRE_MESSAGE(language, language.error().detail);
    return *language;
  }();
  return *made;
}

messages::device_info h100() {
  messages::device_info device{.name = {"cuda:0"}, .kind = "cuda", .model = "NVIDIA H100", .arch = "sm_90a"};
  device.limits = {{"threads_a_block", 1024}, {"shared_memory_bytes_a_block", 232448}, {"multiprocessors", 132}};
  return device;
}

struct written {
  std::string recipe;
  messages::candidate_manifest manifest;
  std::map<std::string, std::string> sources;
  messages::launch_record record;
};

written write(const messages::op_graph& graph, const messages::knob_values& knobs = {}) {
  auto planned = dsl::rules_plan({.about = {.device = h100()}, .wanted = 1}, graph, cuda_c());
  REQUIRE_MESSAGE(planned.plans.size() == 1, planned.remark);
  auto plan = planned.plans.front();
  for (auto& group : plan.groups) group.knobs = knobs;
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  auto reply = dsl::rules_code({.about = {.device = h100()}, .plan = plan}, graph, cuda_c(), *store);
  REQUIRE(reply);
  REQUIRE_MESSAGE(reply->manifest, reply->remark);
  written x{plan.groups.front().recipe, *reply->manifest, {}, {}};
  for (const auto& source : x.manifest.sources) x.sources[source.path] = store->get(source.blob).value();
  auto record = wire::from_json<messages::launch_record>(x.sources.at("launches.json"));
  REQUIRE(record);
  x.record = *record;
  return x;
}

void check_golden(const messages::op_graph& graph, const std::string& name, const std::string& recipe,
                  const messages::knob_values& knobs = {}) {
  auto x = write(graph, knobs);
  CHECK(x.recipe == recipe);
  const auto& text = x.sources.at("kernel.cu");
  CHECK(golden(name + ".cu", text) == text);
  const auto& launches = x.sources.at("launches.json");
  CHECK(golden(name + ".launches.json", launches) == launches);
}

/// The sum of each of `rows` rows.
messages::op_graph row_sums(std::int64_t rows, std::int64_t count) {
  return {.task = "row_sums",
          .values = {input("x", {rows, count})},
          .nodes = {node("y", "sum", {tensor("self", "x"), integers("dim", {1})}, {rows})},
          .outputs = {"y"}};
}

messages::op_graph row_softmax(std::int64_t rows, std::int64_t count) {
  return {.task = "row_softmax",
          .values = {input("x", {rows, count})},
          .nodes = {node("y", "_softmax", {tensor("self", "x"), integer("dim", 1), flag("half_to_float", false)},
                         {rows, count})},
          .outputs = {"y"}};
}

const kernel_launch& launch(const written& x, std::size_t i) {
  return std::get<kernel_launch>(x.record.operations.at(i));
}

}  // namespace

TEST_CASE("recipes write what their golden files hold") {
  check_golden(chain(), "map_chain", "map");
  check_golden(scaled_softmax(), "scaled_softmax", "rownorm");
  check_golden(row_sums(3, 5000), "row_sums", "rowred", {{"team", "split"}});
  check_golden(mean_of_maxima(), "mean_of_maxima", "colred");
}

TEST_CASE("a candidate is a launch record with its kernels, and the same request gives the same candidate") {
  auto x = write(chain());
  CHECK(std::get<messages::launch_record_entry>(x.manifest.entry).record == "launches.json");
  CHECK(x.manifest.dsl == "cuda_c");
  REQUIRE(x.manifest.arguments.size() == 2);
  CHECK(x.manifest.arguments[1].path == "scale");
  CHECK(x.sources.contains("elements.cuh"));
  CHECK(identify(x.manifest) == identify(write(chain()).manifest));
}

TEST_CASE("who does a row depends on how many there are and how long they are") {
  SUBCASE("a warp a short row") {
    auto x = write(row_softmax(100000, 256));
    CHECK(launch(x, 0).grid.x == 25000);
    CHECK(launch(x, 0).block.x == 128);
  }
  SUBCASE("a block a row that fits into its registers") {
    auto x = write(row_softmax(4096, 8192));
    CHECK(launch(x, 0).grid.x == 4096);
    CHECK(launch(x, 0).cluster.x == 1);
  }
  SUBCASE("a cluster a longer one, in shared memory where registers are too few") {
    auto x = write(row_softmax(4096, 393216));
    REQUIRE(x.record.operations.size() == 1);
    CHECK(launch(x, 0).cluster.x == 8);
    CHECK(launch(x, 0).grid.x == 8 * 4096);
    CHECK(launch(x, 0).shared_bytes == 393216 / 8 * 4);
  }
  SUBCASE("many blocks the only row, in two launches") {
    auto x = write(row_sums(1, 1 << 24));
    REQUIRE(x.record.operations.size() == 2);
    CHECK(launch(x, 0).grid.x > 132);
    CHECK(x.record.scratch.size() == 1);
  }
}

TEST_CASE("nothing is launched for a tensor without elements") {
  auto x = write(graph_of(node("y", "relu", {tensor("self", "a")}, {4})));
  CHECK(std::holds_alternative<kernel_launch>(x.record.operations.at(0)));
  messages::op_graph empty{.task = "empty",
                           .values = {input("x", {0, 4})},
                           .nodes = {node("y", "relu", {tensor("self", "x")}, {0, 4})},
                           .outputs = {"y"}};
  CHECK(std::holds_alternative<messages::memory_fill>(write(empty).record.operations.at(0)));
}

TEST_CASE("offsets of more than 2^31 elements are computed in 64 bits") {
  messages::op_graph large{.task = "large",
                           .values = {input("x", {3, 1 << 30})},
                           .nodes = {node("y", "relu", {tensor("self", "x")}, {3, 1 << 30})},
                           .outputs = {"y"}};
  CHECK(write(large).sources.at("kernel.cu").find("using index = int64_t;") != std::string::npos);
  CHECK(write(row_sums(3, 1 << 30)).sources.at("kernel.cu").find("using index = int64_t;") != std::string::npos);
  CHECK(write(chain()).sources.at("kernel.cu").find("using index = uint32_t;") != std::string::npos);
}

TEST_CASE("a way through a tensor has as few dimensions as say the same") {
  auto along = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> steps) { return way{sizes, steps}; };
  CHECK(along({2, 3, 4}, {12, 4, 1}).offset("n") == "n");
  CHECK(along({2, 3, 4}, {4, 0, 1}).offset("n") == "n / 12 * 4 + n % 4");
  CHECK(along({2, 3, 4}, {0, 1, 0}).offset("n") == "n / 4 % 3");
  CHECK(along({2, 3}, {0, 0}).offset("n") == "0");
  CHECK(along({}, {}).offset("n") == "0");
  CHECK(along({2, 3, 4}, {24, 8, 2}).offset("n") == "n * 2");
}

TEST_CASE("neighbours move in one access where they lie side by side from multiples on") {
  auto how = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> steps, std::int64_t width) {
    return way{sizes, steps}.with(width, true);
  };
  CHECK(how({2, 8}, {8, 1}, 4) == access::vector);
  CHECK(how({2, 8}, {10, 1}, 4) == access::each);  // the second row begins in the middle
  CHECK(how({2, 8}, {12, 1}, 4) == access::vector);
  CHECK(how({2, 6}, {6, 1}, 4) == access::vector);  // all of it is one row
  CHECK(how({2, 6}, {0, 1}, 4) == access::each);
  CHECK(how({2, 8}, {1, 0}, 4) == access::repeated);
  CHECK(how({2, 6}, {1, 0}, 4) == access::each);
  CHECK(how({2, 8}, {1, 2}, 4) == access::each);
  CHECK(how({2, 8}, {0, 0}, 4) == access::still);
}

}  // namespace cuda_c_test
