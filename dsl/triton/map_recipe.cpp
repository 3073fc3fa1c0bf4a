#include "dsl/triton/map_recipe.hpp"

#include <algorithm>

#include "dsl/knobs.hpp"
#include "dsl/map_layout.hpp"
#include "dsl/text.hpp"
#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/index_text.hpp"
#include "dsl/triton/kernel.hpp"

namespace dsl::triton {

namespace {

using messages::buffer_kind;
using messages::expected;

class map_writer {
public:
  map_writer(const group_order& order, const pointwise& x) : order_(order), x_(x), layout_(lay_out(x)) {
    kernel_.name = "group_" + order.group.name;
    auto block = integer_knob(order.knobs, "block");
    kernel_.constants = {{"BLOCK", block}};
    kernel_.programs = (layout_.count + block - 1) / block;
    kernel_.warps = integer_knob(order.knobs, "warps");
    add_pointers("x", layout_.operands, buffer_kind::argument);
    add_pointers("y", layout_.results, buffer_kind::output);
  }

  const kernel& launched() const { return kernel_; }

  template_data data() const {
    auto data = kernel_.entry();
    data.set("summary", operators_of(order_.graph, order_.group.nodes));
    data.set("count", std::to_string(layout_.count));
    data.set("wide", needs_wide_index());
    data.set("reads", reads());
    auto text = expression();
    data.set("lines", text.lines);
    data.set("writes", writes(text));
    return data;
  }

private:
  void add_pointers(const std::string& letter, const std::vector<map_tensor>& tensors, buffer_kind buffer) {
    for (std::uint32_t i = 0; i < tensors.size(); ++i)
      kernel_.pointers.push_back({letter + std::to_string(i), pointer_of(tensors[i].spec.dtype), {buffer, i, 0}});
  }

  bool needs_wide_index() const {
    auto most = kernel_.programs * integer_knob(order_.knobs, "block");
    for (const auto* tensors : {&layout_.operands, &layout_.results})
      for (const auto& x : *tensors) most = std::max(most, reach_of(layout_.sizes, x.steps));
    return most > INT32_MAX;
  }

  /// Where the element of this program's points lies; of tensors without elements too, of which nothing is read.
  std::string place(const map_tensor& x) const {
    return layout_.count == 0 ? "at" : place_text("at", layout_.sizes, x.steps);
  }

  std::string policy() const {
    auto word = word_knob(order_.knobs, "loads");
    return word == "once" ? ", eviction_policy=\"evict_first\"" : "";
  }

  template_data reads() const {
    auto all = template_list();
    for (std::size_t i = 0; i < layout_.operands.size(); ++i) {
      const auto& x = layout_.operands[i];
      auto where = place(x);
      template_data one;
      one.set("id", std::to_string(i));
      one.set("what", x_.operands[i].value + ' ' + shape_of(x.spec));
      one.set("place", where);
      one.set("one", where == "0");
      one.set("policy", where == "at" ? policy() : "");
      one.set("cast", loaded("", x.spec.dtype, x_.compute));
      all << one;
    }
    return all;
  }

  printed expression() const {
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < layout_.operands.size(); ++i) operands.push_back('v' + std::to_string(i));
    return print(x_.expression, triton_printer{x_.compute, std::move(operands)}, {.prefix = "t", .indent = "    "});
  }

  template_data writes(const printed& text) const {
    auto all = template_list();
    for (std::size_t i = 0; i < layout_.results.size(); ++i) {
      template_data one;
      one.set("id", std::to_string(i));
      one.set("what", x_.results[i].node + ' ' + shape_of(layout_.results[i].spec));
      auto where = place(layout_.results[i]);
      one.set("place", where == "0" ? "at" : where);  // a block of values goes to a block of places
      one.set("value", stored(text.results[i], x_.compute, layout_.results[i].spec.dtype));
      one.set("modifier", word_knob(order_.knobs, "stores") == "streaming" ? ", cache_modifier=\".cs\"" : "");
      all << one;
    }
    return all;
  }

  const group_order& order_;
  const pointwise& x_;
  map_layout layout_;
  kernel kernel_;
};

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
    map_writer writer{order, *x};
    auto launch = writer.launched().launch();
    if (!launch) return tl::unexpected{launch.error()};
    auto text = render_kernel(files_, writer.data());
    if (!text) return tl::unexpected{text.error()};
    group_text result{.name = order.group.name, .text = *std::move(text), .reads = {}, .writes = {}};
    for (const auto& operand : x->operands) result.reads.push_back(operand.value);
    for (const auto& written : x->results) result.writes.push_back(written.node);
    result.launches.push_back(*std::move(launch));
    return result;
  }

private:
  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_map(const recipe_files& files) { return std::make_unique<map_recipe>(files); }

}  // namespace dsl::triton
