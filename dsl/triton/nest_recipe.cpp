#include "dsl/triton/nest_recipe.hpp"

#include <algorithm>

#include "dsl/text.hpp"
#include "dsl/triton/nest_text.hpp"

namespace dsl::triton {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;

enum class family : std::uint8_t { rows_to_results, rows_to_rows, columns };

family family_of(const reduction_nest& x) {
  if (runs_down_columns(x)) return family::columns;
  return x.each_element.targets.empty() ? family::rows_to_results : family::rows_to_rows;
}

bool spreads_over_rows(const reduction_nest& x) {
  return x.last && std::ranges::any_of(x.last->reductions, [](const auto& one) { return one.kind == monoid::moments; });
}

class nest_recipe : public recipe {
public:
  nest_recipe(const recipe_files& files, family mine) : files_(files), mine_(mine) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    auto x = make_nest(graph, nodes);
    if (!x) return tl::unexpected{x.error()};
    if (family_of(*x) != mine_) return fail(failure_code::bad_input, "the loops run another way than this recipe's");
    if (x->stages.empty() && make_expression(graph, nodes)) return fail(failure_code::bad_input, "nothing is reduced");
    if (spreads_over_rows(*x))
      return fail(failure_code::bad_input, "a variance of rows' results needs a kernel of its own");
    return {};
  }

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

private:
  recipe_files files_;
  family mine_;
};

}  // namespace

std::unique_ptr<recipe> make_rowred(const recipe_files& files) {
  return std::make_unique<nest_recipe>(files, family::rows_to_results);
}
std::unique_ptr<recipe> make_rownorm(const recipe_files& files) {
  return std::make_unique<nest_recipe>(files, family::rows_to_rows);
}
std::unique_ptr<recipe> make_colred(const recipe_files& files) {
  return std::make_unique<nest_recipe>(files, family::columns);
}

}  // namespace dsl::triton
