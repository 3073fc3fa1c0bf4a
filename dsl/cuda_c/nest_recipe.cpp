#include "dsl/cuda_c/nest_recipe.hpp"

#include "dsl/cuda_c/row_launches.hpp"
#include "dsl/cuda_c/row_text.hpp"
#include "dsl/cuda_c/tensor_text.hpp"
#include "dsl/nest_places.hpp"
#include "dsl/text.hpp"

namespace dsl::cuda_c {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;

enum class family : std::uint8_t { rows_to_results, rows_to_rows, columns };

family family_of(const reduction_nest& x) {
  if (runs_down_columns(x)) return family::columns;
  return x.each_element.targets.empty() ? family::rows_to_results : family::rows_to_rows;
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
    return {};
  }

  expected<group_text> render(const group_order& order) const override {
    auto x = make_nest(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto interface = interface_of(*x, order.graph);
    auto lay_out = mine_ == family::columns ? &lay_out_columns : &lay_out_rows;
    auto layout = lay_out(*std::move(x), order.knobs, order.device);
    auto data = row_data(layout, order.group.name);
    data.set("summary", operators_of(order.graph, order.group.nodes));
    add_partials(data, files_.partials);
    auto text = dsl::render(files_.template_text, data, (files_.folder / files_.manifest.template_file).string());
    if (!text) return tl::unexpected{text.error()};
    group_text group;
    group.name = order.group.name;
    group.text = without_gaps(*text);
    group.reads = interface.reads;
    group.writes = interface.writes;
    add_launches(group, layout);
    return group;
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

}  // namespace dsl::cuda_c
