#include "dsl/cpp/map_recipe.hpp"

#include "dsl/c_printer.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/knobs.hpp"
#include "dsl/map_layout.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using messages::knob_values;

/// Below that the result fits into the caches, and whoever reads it next is faster if it stays there.
constexpr std::int64_t streaming_bytes = 16 << 20;

bool streams(const map_layout& layout, const knob_values& knobs) {
  auto wish = word_knob(knobs, "streaming_stores");
  if (wish != "auto") return wish == "on";
  std::int64_t bytes = 0;
  for (const auto& x : layout.results)
    bytes += layout.count * static_cast<std::int64_t>(messages::bytes_of(x.spec.dtype));
  return bytes >= streaming_bytes;
}

std::string element(const map_tensor& x, const std::string& id) {
  switch (x.inner) {
    case motion::unit: return id + "[i]";
    case motion::repeated: return '*' + id;
    default: return id + "[i * step_" + id + ']';
  }
}

/// One tensor for the template.
template_data tensor_data(const map_tensor& x, std::size_t index, const std::string& id) {
  template_data data;
  data.set("id", id);
  data.set("index", std::to_string(index));
  data.set("shape", list_of(x.spec.shape));
  data.set("strides", list_of(x.spec.strides));
  data.set("steps", list_of(x.steps));
  data.set("dense_strides", list_of(x.dense_strides));
  data.set("dense_steps", list_of(x.dense_steps));
  data.set("dtype", dtype_of(x.spec.dtype));
  data.set("bytes", std::to_string(messages::bytes_of(x.spec.dtype)));
  data.set("tensor_rank", std::to_string(x.spec.shape.size()));
  data.set("type", std::string{type_of(x.spec.dtype)});
  data.set("strided", x.inner == motion::strided);
  data.set("moving", x.inner != motion::repeated);
  return data;
}

class map_recipe : public recipe {
public:
  explicit map_recipe(const recipe_files& files) : files_(files) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    return covers_map(graph, nodes);
  }

  expected<group_text> render(const group_order& order) const override {
    auto x = make_expression(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto layout = lay_out(*x);
    auto data = header_data(order, layout);
    add_tensors(data, *x, layout, streams(layout, order.knobs));
    add_expression(data, *x, layout, order.knobs);
    auto text = dsl::render(files_.template_text, data, (files_.folder / files_.manifest.template_file).string());
    if (!text) return tl::unexpected{text.error()};
    group_text result{order.group.name, *std::move(text), {}, {}};
    for (const auto& operand : x->operands) result.reads.push_back(operand.value);
    for (const auto& written : x->results) result.writes.push_back(written.node);
    return result;
  }

private:
  static template_data header_data(const group_order& order, const map_layout& layout) {
    template_data data;
    data.set("name", order.group.name);
    data.set("summary", operators_of(order.graph, order.group.nodes));
    data.set("rank", std::to_string(layout.sizes.size()));
    data.set("sizes", list_of(layout.sizes));
    data.set("count", std::to_string(layout.count));
    data.set("tensor_count", std::to_string(layout.operands.size() + layout.results.size()));
    data.set("block", std::to_string(integer_knob(order.knobs, "block")));
    data.set("tile", std::to_string(integer_knob(order.knobs, "tile")));
    data.set("schedule", word_knob(order.knobs, "schedule"));
    data.set("parallel_threshold", std::to_string(integer_knob(order.knobs, "parallel_threshold")));
    return data;
  }

  static void add_tensors(template_data& data, const pointwise& x, const map_layout& layout, bool streaming) {
    auto tensors = template_list();
    auto streamed = template_list();
    auto ahead = template_list();
    bool any = false;
    for (std::size_t i = 0; i < layout.operands.size(); ++i) {
      auto id = "x" + std::to_string(i);
      auto tensor = tensor_data(layout.operands[i], i, id);
      tensor.set("what", x.operands[i].value + ' ' + shape_of(layout.operands[i].spec));
      tensor.set("from", "in[" + std::to_string(i) + ']');
      tensor.set("constant", "const ");
      tensor.set("passed", id);
      tensor.set("is_input", true);
      tensors << tensor;
      if (layout.operands[i].inner == motion::unit) ahead << tensor;
    }
    for (std::size_t i = 0; i < layout.results.size(); ++i) {
      auto id = "y" + std::to_string(i);
      auto tensor = tensor_data(layout.results[i], layout.operands.size() + i, id);
      bool past_cache = streaming && layout.results[i].inner == motion::unit;
      tensor.set("what", x.results[i].node + ' ' + shape_of(layout.results[i].spec));
      tensor.set("from", "out[" + std::to_string(i) + ']');
      tensor.set("constant", "");
      tensor.set("passed", past_cache ? "tile_" + id : id);
      tensor.set("is_input", false);
      if (past_cache) streamed << tensor;
      any = any || past_cache;
      tensors << tensor;
    }
    data.set("tensors", tensors);
    data.set("ahead", ahead);
    data.set("streams", streamed);
    data.set("streaming", any);
  }

  static void add_expression(template_data& data, const pointwise& x, const map_layout& layout,
                             const knob_values& knobs) {
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < layout.operands.size(); ++i) {
      operands.push_back("km::load(" + element(layout.operands[i], "x" + std::to_string(i)) + ')');
    }
    c_printer language{x.compute, word_knob(knobs, "math") == "plain" ? math::plain : math::vector,
                       std::move(operands)};
    auto text = print(x.expression, language, {.prefix = "t", .indent = "    "});
    auto results = template_list();
    for (std::size_t i = 0; i < text.results.size(); ++i) {
      template_data result;
      result.set("target", element(layout.results[i], "y" + std::to_string(i)));
      result.set("type", std::string{type_of(layout.results[i].spec.dtype)});
      result.set("value", text.results[i]);
      results << result;
    }
    data.set("lines", text.lines);
    data.set("results", results);
  }

  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_map(const recipe_files& files) { return std::make_unique<map_recipe>(files); }

}  // namespace dsl::cpp
