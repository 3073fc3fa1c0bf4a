#include "dsl/cuda_c/nest_recipe.hpp"

#include "dsl/cuda_c/row_launches.hpp"
#include "dsl/cuda_c/row_text.hpp"
#include "dsl/cuda_c/tensor_text.hpp"
#include "dsl/nest_places.hpp"
#include "dsl/nest_recipe.hpp"
#include "dsl/text.hpp"

namespace dsl::cuda_c {

namespace {

using messages::expected;

class cuda_nest_recipe : public dsl::nest_recipe {
public:
  using dsl::nest_recipe::nest_recipe;

  expected<group_text> render(const group_order& order) const override {
    auto x = make_nest(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto interface = interface_of(*x, order.graph);
    auto lay_out = mine_ == nest_family::columns ? &lay_out_columns : &lay_out_rows;
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
};

}  // namespace

std::unique_ptr<recipe> make_rowred(const recipe_files& files) {
  return std::make_unique<cuda_nest_recipe>(files, nest_family::rows_to_results);
}
std::unique_ptr<recipe> make_rownorm(const recipe_files& files) {
  return std::make_unique<cuda_nest_recipe>(files, nest_family::rows_to_rows);
}
std::unique_ptr<recipe> make_colred(const recipe_files& files) {
  return std::make_unique<cuda_nest_recipe>(files, nest_family::columns);
}

}  // namespace dsl::cuda_c
