#include "dsl/view.hpp"

#include <doctest/doctest.h>

#include "tests/dsl/op_graphs.hpp"

namespace view_test {

namespace {

using namespace dsl::testing;

messages::graph_argument integers(std::string name, std::vector<std::int64_t> xs) {
  return {std::move(name), messages::integers_argument{std::move(xs)}};
}
messages::graph_argument integer(std::string name, std::int64_t x) {
  return {std::move(name), messages::integer_argument{x}};
}

messages::graph_node view_of(std::string op, arguments list, dsl::shape to) {
  list.insert(list.begin(), tensor("self", "a"));
  return node("v", std::move(op), std::move(list), std::move(to));
}

bool equal(const std::optional<dsl::view>& x, std::int64_t offset, const dsl::shape& size,
           const std::vector<std::int64_t>& strides) {
  return x && x->offset == offset && x->shape == size && x->strides == strides;
}

}  // namespace

TEST_CASE("a reshape splits and joins dimensions where strides allow it") {
  dsl::view x{3, {2, 6, 4}, {48, 8, 2}};
  CHECK(equal(dsl::reshape(x, {12, 4}), 3, {12, 4}, {8, 2}));
  CHECK(equal(dsl::reshape(x, {48}), 3, {48}, {2}));
  CHECK(equal(dsl::reshape(x, {2, 2, 3, 1, 4}), 3, {2, 2, 3, 1, 4}, {48, 24, 8, 8, 2}));
  CHECK(!dsl::reshape({0, {2, 3}, {1, 2}}, {6}));
  CHECK(!dsl::reshape(x, {7, 7}));
  CHECK(equal(dsl::reshape({5, {1, 1}, {9, 9}}, {}), 5, {}, {}));
  CHECK(dsl::reshape({0, {0, 3}, {3, 1}}, {3, 0})->shape == dsl::shape{3, 0});
  CHECK(equal(dsl::reshape({5, {2, 3}, {-3, -1}}, {6}), 5, {6}, {-1}));
}

TEST_CASE("each view operator leads to the elements that torch says") {
  auto x = dsl::dense({2, 3, 4});
  CHECK(equal(look(view_of("permute", {integers("dims", {2, 0, -2})}, {4, 2, 3}), x), 0, {4, 2, 3}, {1, 12, 4}));
  CHECK(equal(look(view_of("transpose", {integer("dim0", -1), integer("dim1", 0)}, {4, 3, 2}), x), 0, {4, 3, 2},
              {1, 4, 12}));
  CHECK(equal(look(view_of("flip", {integers("dims", {1, -1})}, {2, 3, 4}), x), 11, {2, 3, 4}, {12, -4, -1}));
  CHECK(equal(look(view_of("slice", {integer("dim", 2), integer("start", -3), integer("step", 2)}, {2, 3, 2}), x), 1,
              {2, 3, 2}, {12, 4, 2}));
  CHECK(equal(look(view_of("select", {integer("dim", 1), integer("index", -1)}, {2, 4}), x), 8, {2, 4}, {12, 1}));
  CHECK(equal(look(view_of("unsqueeze", {integer("dim", -2)}, {2, 3, 1, 4}), x), 0, {2, 3, 1, 4}, {12, 4, 4, 1}));
  CHECK(equal(look(view_of("expand", {integers("size", {5, 2, 3, 4})}, {5, 2, 3, 4}), x), 0, {5, 2, 3, 4},
              {0, 12, 4, 1}));
  CHECK(!look(view_of("permute", {integers("dims", {0, 0, 1})}, {2, 2, 3}), x));
  CHECK(!look(view_of("relu", {}, {2, 3, 4}), x));
}

TEST_CASE("looking back undoes what keeps all elements, and nothing else") {
  dsl::shape before{2, 3, 4};
  for (const auto& node : {view_of("permute", {integers("dims", {2, 0, 1})}, {4, 2, 3}),
                           view_of("transpose", {integer("dim0", 0), integer("dim1", 2)}, {4, 3, 2}),
                           view_of("flip", {integers("dims", {0, 2})}, {2, 3, 4}), view_of("view", {}, {6, 4}),
                           view_of("unsqueeze", {integer("dim", 0)}, {1, 2, 3, 4})}) {
    CAPTURE(node.op);
    auto there = look(node, dsl::dense(before));
    REQUIRE(there);
    auto back = look_back(node, before, *there);
    REQUIRE(back);
    CHECK(same_places(*back, dsl::dense(before)));
  }
  CHECK(!look_back(view_of("slice", {integer("dim", 0), integer("end", 1)}, {1, 3, 4}), before, dsl::dense({1, 3, 4})));
  CHECK(!look_back(view_of("expand", {}, {5, 2, 3, 4}), before, dsl::dense({5, 2, 3, 4})));
}

TEST_CASE("tensors overlap where two indices may mean one place") {
  CHECK(!dsl::overlaps(spec({2, 3})));
  CHECK(!dsl::overlaps({messages::dtype::float32, {3, 2}, {1, 3}}));
  CHECK(!dsl::overlaps({messages::dtype::float32, {3, 1}, {1, 0}}));
  CHECK(dsl::overlaps({messages::dtype::float32, {3, 2}, {1, 0}}));
  CHECK(dsl::overlaps({messages::dtype::float32, {3, 3}, {2, 1}}));
}

}  // namespace view_test
