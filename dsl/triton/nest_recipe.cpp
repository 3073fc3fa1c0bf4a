#include "dsl/triton/nest_recipe.hpp"

#include <algorithm>

#include "dsl/nest_recipe.hpp"
#include "dsl/text.hpp"
#include "dsl/triton/nest_text.hpp"

namespace dsl::triton {

namespace {

using messages::expected;

bool spreads_over_rows(const reduction_nest& x) {
  return x.last && std::ranges::any_of(x.last->reductions, [](const auto& one) { return one.kind == monoid::moments; });
}

class triton_nest_recipe : public dsl::nest_recipe {
public:
  using dsl::nest_recipe::nest_recipe;

  expected<group_text> render(const group_order& order) const override {
    auto x = make_nest(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto interface = interface_of(*x, order.graph);
    auto tiles = tile(*std::move(x), order.knobs, order.device);
    auto summary = operators_of(order.graph, order.group.nodes);
    auto made = write_kernels(tiles, interface, order.group.name, summary);
    auto text = render_kernel(files_, made.data);
    if (!text) return tl::unexpected{text.error()};
    group_text result{
        .name = order.group.name, .text = *std::move(text), .reads = interface.reads, .writes = interface.writes};
    for (const auto& kernel : made.kernels) {
      auto launch = kernel.launch();
      if (!launch) return tl::unexpected{launch.error()};
      result.launches.push_back(*std::move(launch));
    }
    result.scratch = std::move(made.scratch);
    return result;
  }

protected:
  expected<void> takes(const reduction_nest& x) const override {
    if (spreads_over_rows(x))
      return messages::fail(messages::failure_code::bad_input, "a variance of rows' results needs a kernel of its own");
    return {};
  }
};

}  // namespace

std::unique_ptr<recipe> make_rowred(const recipe_files& files) {
  return std::make_unique<triton_nest_recipe>(files, nest_family::rows_to_results);
}
std::unique_ptr<recipe> make_rownorm(const recipe_files& files) {
  return std::make_unique<triton_nest_recipe>(files, nest_family::rows_to_rows);
}
std::unique_ptr<recipe> make_colred(const recipe_files& files) {
  return std::make_unique<triton_nest_recipe>(files, nest_family::columns);
}

}  // namespace dsl::triton
