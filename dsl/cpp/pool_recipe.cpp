#include "dsl/cpp/pool_recipe.hpp"

#include <array>

#include "dsl/cpp/knob_values.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/cpp/window_text.hpp"

namespace dsl::cpp {

namespace {

using messages::dtype;
using messages::expected;
using messages::fail;
using messages::failure_code;

constexpr std::array<std::string_view, 6> operators{
    "aten.max_pool2d_with_indices", "aten.max_pool3d_with_indices", "aten.avg_pool2d", "aten.avg_pool3d",
    "aten._adaptive_avg_pool2d",    "aten._adaptive_avg_pool3d"};

struct analysed_pool {
  dsl::pool pool;
  anchored around;
  bool has_batch = true;
};

expected<analysed_pool> analyse_pool(const graph_index& graph, std::span<const std::string> nodes) {
  const auto* node = only_anchor(graph, nodes, operators);
  if (!node) return fail(failure_code::bad_input, "there is not one pool");
  auto pool = parse_pool(graph, *node);
  if (!pool) return tl::unexpected{pool.error()};
  auto around = surround(graph, nodes, {{node->name}, {*viewed(*node)}, node->name});
  if (!around) return tl::unexpected{around.error()};
  bool three = node->op.ends_with("3d") || node->op.find("3d_") != std::string::npos;
  return analysed_pool{*std::move(pool), *std::move(around), node->output.shape.size() == (three ? 5u : 4u)};
}

class pool_recipe : public recipe {
public:
  explicit pool_recipe(const recipe_files& files) : files_(files) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    auto x = analyse_pool(graph, nodes);
    if (!x) return tl::unexpected{x.error()};
    return {};
  }

  expected<group_text> render(const group_order& order) const override {
    auto x = analyse_pool(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto space = five_dimensions(x->has_batch);
    bool wide = x->around.compute == dtype::float64;
    anchored_order all{order, x->around,       wide ? "double" : "float",       {space},
                       space, "pool_loop.hpp", whole_knob(order.knobs, "tile"), functions(order.knobs)};
    auto data = anchored_data(all, files_);
    if (!data) return tl::unexpected{data.error()};
    add_pool(*data, *x, order.knobs);
    bool direct = is_direct(x->around.inputs[0], space, x->around.compute);
    data->set("direct", direct ? "true" : "false");
    data->set("is_direct", direct);
    return anchored_text(all, files_, *data);
  }

private:
  static void add_pool(template_data& data, const analysed_pool& x, const messages::knob_values& knobs) {
    const auto& size = x.around.output.shape;
    data.set("monoid", x.pool.kind == pool_kind::max ? "km::pool_max" : "km::pool_average");
    data.set("outer", std::to_string(x.has_batch ? size[0] : 1));
    data.set("channels", std::to_string(size[x.has_batch ? 1 : 0]));
    data.set("counts_padding", x.pool.counts_padding ? "true" : "false");
    data.set("divisor", std::to_string(x.pool.divisor.value_or(0)));
    data.set("parallel_threshold", std::to_string(whole_knob(knobs, "parallel_threshold")));
    add_window(data, x.pool.axes, knobs);
  }

  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_pool(const recipe_files& files) { return std::make_unique<pool_recipe>(files); }

}  // namespace dsl::cpp
