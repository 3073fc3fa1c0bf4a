#include "dsl/nest_recipe.hpp"

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

nest_family family_of(const reduction_nest& x) {
  if (runs_down_columns(x)) return nest_family::columns;
  return x.each_element.targets.empty() ? nest_family::rows_to_results : nest_family::rows_to_rows;
}

}  // namespace

expected<void> nest_recipe::covers(const graph_index& graph, std::span<const std::string> nodes) const {
  auto x = make_nest(graph, nodes);
  if (!x) return tl::unexpected{x.error()};
  if (family_of(*x) != mine_) return fail(failure_code::bad_input, "the loops run another way than this recipe's");
  if (auto taken = takes(*x); !taken) return taken;
  if (x->stages.empty() && make_expression(graph, nodes)) return fail(failure_code::bad_input, "nothing is reduced");
  return {};
}

}  // namespace dsl
