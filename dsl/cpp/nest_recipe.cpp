#include "dsl/cpp/nest_recipe.hpp"

#include "dsl/cpp/nest_text.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/nest_recipe.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;

class cpp_nest_recipe : public dsl::nest_recipe {
public:
  using dsl::nest_recipe::nest_recipe;

  expected<group_text> render(const group_order& order) const override {
    auto x = make_nest(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto interface = interface_of(*x, order.graph);
    auto data = nest_data(lay_out(*std::move(x), order.knobs), interface, order.knobs);
    data.set("name", order.group.name);
    data.set("summary", operators_of(order.graph, order.group.nodes));
    auto text = dsl::render(files_.template_text, data, (files_.folder / files_.manifest.template_file).string());
    if (!text) return tl::unexpected{text.error()};
    return group_text{order.group.name, *std::move(text), interface.reads, interface.writes, {"nest_loop.hpp"}};
  }
};

}  // namespace

std::unique_ptr<recipe> make_rowred(const recipe_files& files) {
  return std::make_unique<cpp_nest_recipe>(files, nest_family::rows_to_results);
}
std::unique_ptr<recipe> make_rownorm(const recipe_files& files) {
  return std::make_unique<cpp_nest_recipe>(files, nest_family::rows_to_rows);
}
std::unique_ptr<recipe> make_colred(const recipe_files& files) {
  return std::make_unique<cpp_nest_recipe>(files, nest_family::columns);
}

}  // namespace dsl::cpp
