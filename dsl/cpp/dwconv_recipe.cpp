#include "dsl/cpp/dwconv_recipe.hpp"

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

constexpr std::array<std::string_view, 1> operators{"aten.convolution"};

/// Of a node that parse_depthwise takes.
const std::string* argument(const messages::graph_node& node, std::string_view name) {
  return value_name(*find_argument(node, name));
}

struct analysed_window {
  dsl::depthwise window;
  anchored around;
};

expected<analysed_window> analyse_window(const graph_index& graph, std::span<const std::string> nodes) {
  const auto* node = only_anchor(graph, nodes, operators);
  if (!node) return fail(failure_code::bad_input, "there is not one convolution");
  auto window = parse_depthwise(graph, *node);
  if (!window) return tl::unexpected{window.error()};
  core with{{node->name}, {*argument(*node, "input"), *argument(*node, "weight")}, node->name};
  if (window->has_bias) with.inputs.push_back(*argument(*node, "bias"));
  auto around = surround(graph, nodes, with);
  if (!around) return tl::unexpected{around.error()};
  return analysed_window{*std::move(window), *std::move(around)};
}

class dwconv_recipe : public recipe {
public:
  explicit dwconv_recipe(const recipe_files& files) : files_(files) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    auto x = analyse_window(graph, nodes);
    if (!x) return tl::unexpected{x.error()};
    return {};
  }

  expected<group_text> render(const group_order& order) const override {
    auto x = analyse_window(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto space = five_dimensions(true);
    bool wide = x->around.compute == dtype::float64;
    std::vector<to_kernel_space> inputs{space, space};
    if (x->window.has_bias) inputs.emplace_back(&as_it_is);
    anchored_order all{order,
                       x->around,
                       wide ? "double" : "float",
                       std::move(inputs),
                       space,
                       "depthwise_loop.hpp",
                       whole_knob(order.knobs, "tile"),
                       functions(order.knobs)};
    auto data = anchored_data(all, files_);
    if (!data) return tl::unexpected{data.error()};
    add_convolution(*data, *x, order.knobs);
    const auto& width = x->window.axes[2];
    bool direct = width.padding == 0 && width.stride == 1 && is_direct(x->around.inputs[0], space, x->around.compute);
    data->set("direct", direct ? "true" : "false");
    data->set("is_direct", direct);
    return anchored_text(all, files_, *data);
  }

private:
  static void add_convolution(template_data& data, const analysed_window& x, const messages::knob_values& knobs) {
    const auto& size = x.around.output.shape;
    data.set("outer", std::to_string(size[0]));
    data.set("channels", std::to_string(size[1]));
    data.set("multiplier", std::to_string(x.window.multiplier));
    data.set("has_bias", x.window.has_bias);
    data.set("parallel_threshold", std::to_string(whole_knob(knobs, "parallel_threshold")));
    add_window(data, x.window.axes, knobs);
  }

  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_dwconv(const recipe_files& files) { return std::make_unique<dwconv_recipe>(files); }

}  // namespace dsl::cpp
