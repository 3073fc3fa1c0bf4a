#include "dsl/cpp/nest_recipe.hpp"

#include "dsl/cpp/nest_text.hpp"
#include "dsl/cpp/text.hpp"

namespace dsl::cpp {

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
    auto data = nest_data(lay_out(*std::move(x), order.knobs), interface, order.knobs);
    data.set("name", order.group.name);
    data.set("summary", operators_of(order.graph, order.group.nodes));
    auto text = dsl::render(files_.template_text, data, (files_.folder / files_.manifest.template_file).string());
    if (!text) return tl::unexpected{text.error()};
    return group_text{order.group.name, *std::move(text), interface.reads, interface.writes, {"nest_loop.hpp"}};
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

}  // namespace dsl::cpp
