#include "dsl/cuda_c/map_recipe.hpp"

#include <algorithm>

#include "dsl/c_printer.hpp"
#include "dsl/cuda_c/access.hpp"
#include "dsl/cuda_c/tensor_text.hpp"
#include "dsl/knobs.hpp"
#include "dsl/launch_program.hpp"
#include "dsl/map_layout.hpp"
#include "dsl/mustache.hpp"
#include "dsl/text.hpp"

namespace dsl::cuda_c {

namespace {

using messages::expected;

/// Below that the result fits into the second-level cache, and whoever reads it next is faster if it stays there.
constexpr std::int64_t streamed_from_bytes = 32 << 20;

/// Vectors that are at hand at once: enough to keep memory busy, few enough for many threads.
std::int64_t choose_items(std::int64_t wish, std::int64_t reads) {
  return wish > 0 ? wish : reads <= 1 ? 4 : reads <= 3 ? 2 : 1;
}

class map_writer {
public:
  map_writer(const group_order& order, const pointwise& x) : order_(order), x_(x), layout_(lay_out(x)) {
    place(layout_.operands, operands_);
    place(layout_.results, results_);
    vector_ = choose_vector();
    small_ = is_small(layout_.count, specs());
    block_ = integer_knob(order.knobs, "block");
    auto moving = std::ranges::count_if(operands_, [](const auto& one) { return !one.is_still(); });
    items_ = choose_items(integer_knob(order.knobs, "items"), moving);
    auto in_tile = vector_ * block_ * items_;
    tiles_ = std::max<std::int64_t>((layout_.count + in_tile - 1) / in_tile, 1);
    grid_ = tiles_;
    if (auto waves = integer_knob(order.knobs, "waves"); waves > 0)
      grid_ = std::min(tiles_, waves * multiprocessors(order.device));
  }

  template_data data() const {
    template_data data;
    data.set("name", order_.group.name);
    data.set("summary", operators_of(order_.graph, order_.group.nodes));
    data.set("index", small_ ? "uint32_t" : "int64_t");
    data.set("count", std::to_string(layout_.count));
    data.set("whole", std::to_string(layout_.count / vector_ * vector_));
    for (auto [key, value] : {std::pair{"block", block_}, {"items", items_}, {"tiles", tiles_}, {"grid", grid_}})
      data.set(key, std::to_string(value));
    data.set("vector", std::to_string(vector_));
    data.set("vector_width", std::to_string(vector_));
    add_tensors(data);
    data.set("lines", lines(false).lines);
    data.set("results", results(lines(false), "n"));
    if (layout_.count % vector_ != 0) {
      template_data tail;
      tail.set("lines", lines(true).lines);
      tail.set("results", results(lines(true), "e"));
      data.set("tail", tail);
    }
    return data;
  }

  group_text write(std::string text) const {
    group_text group{order_.group.name, std::move(text), {}, {}, {}, false, {}, {}, {}};
    for (const auto& operand : x_.operands) group.reads.push_back(operand.value);
    for (const auto& result : x_.results) group.writes.push_back(result.node);
    if (layout_.count == 0) return group;
    messages::kernel_launch launch{
        .image = 0, .kernel = "group_" + order_.group.name, .grid = {}, .block = {}, .cluster = {}, .parameters = {}};
    launch.grid.x = static_cast<std::uint32_t>(grid_);
    launch.block.x = static_cast<std::uint32_t>(block_);
    for (std::size_t i = 0; i < group.reads.size(); ++i)
      launch.parameters.push_back(pointer_to(messages::buffer_kind::argument, i));
    for (std::size_t i = 0; i < group.writes.size(); ++i)
      launch.parameters.push_back(pointer_to(messages::buffer_kind::output, i));
    group.launches.emplace_back(std::move(launch));
    return group;
  }

private:
  void place(const std::vector<map_tensor>& from, std::vector<way>& to) const {
    for (const auto& x : from) to.emplace_back(layout_.sizes, x.steps);
  }

  std::vector<messages::tensor_spec> specs() const {
    std::vector<messages::tensor_spec> all;
    for (const auto& x : layout_.operands) all.push_back(x.spec);
    for (const auto& x : layout_.results) all.push_back(x.spec);
    return all;
  }

  /// The widest at which whatever lies side by side moves in one piece; where that is narrow, the widest at which the
  /// first result does.
  std::int64_t choose_vector() const {
    std::size_t largest = 1;
    for (std::size_t i = 0; i < layout_.operands.size(); ++i)
      if (!operands_[i].is_still()) largest = std::max(largest, messages::bytes_of(layout_.operands[i].spec.dtype));
    for (const auto& x : layout_.results) largest = std::max(largest, messages::bytes_of(x.spec.dtype));
    auto wish = widest_vector(integer_knob(order_.knobs, "vector"), largest);
    auto suits = [&](std::int64_t width) {
      auto good = [&](const way& x) { return !x.is_unit() || x.with(width, true) == access::vector; };
      return tails_fit(width) && std::ranges::all_of(operands_, good) && std::ranges::all_of(results_, good);
    };
    for (auto width = wish; width > 1 && width * 2 >= wish; width /= 2)
      if (suits(width)) return width;
    if (results_.front().is_flat()) return wish;
    while (wish > 1 && !suits(wish)) wish /= 2;
    return wish;
  }

  /// A last vector that is not whole is only possible where no dimension ends with it.
  bool tails_fit(std::int64_t width) const { return layout_.count % width == 0 || results_.front().is_flat(); }

  bool streams() const {
    const auto& wish = word_knob(order_.knobs, "streaming_stores");
    if (wish != "auto") return wish == "on";
    std::int64_t bytes = 0;
    for (const auto& x : layout_.results)
      bytes += layout_.count * static_cast<std::int64_t>(messages::bytes_of(x.spec.dtype));
    return bytes >= streamed_from_bytes;
  }

  void add_tensors(template_data& data) const {
    auto tensors = template_list(), loads = template_list(), stills = template_list();
    std::string parameters;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      tensor_text one{"x" + std::to_string(i), layout_.operands[i].spec, x_.operands[i].value};
      auto how = operands_[i].with(vector_, true);
      (how == access::still ? stills : loads) << access_data(one, operands_[i], how, vector_, "n");
      tensors << one.comment();
      parameters += one.parameter(true, true);
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      tensor_text one{"y" + std::to_string(i), layout_.results[i].spec, x_.results[i].node};
      tensors << one.comment();
      parameters += one.parameter(false, true);
    }
    data.set("tensors", tensors);
    data.set("loads", loads);
    data.set("stills", stills);
    data.set("parameters", parameters.substr(2));
  }

  printed lines(bool tail) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      auto id = "x" + std::to_string(i);
      auto how = operands_[i].with(vector_, true);
      texts.push_back("km::load(" + (tail ? id + '[' + operands_[i].offset("e") + ']' : at_hand(id, how)) + ')');
    }
    c_printer language{x_.compute, math::vector, std::move(texts)};
    return print(x_.expression, language, {.prefix = "t", .indent = tail ? "    " : "        "});
  }

  template_data results(const printed& text, const char* number) const {
    auto all = template_list();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      tensor_text one{"y" + std::to_string(i), layout_.results[i].spec, {}};
      auto how = results_[i].with(vector_, true);
      auto data = access_data(one, results_[i], how == access::vector ? how : access::each, vector_, number);
      data.set("past", streams() ? "true" : "false");
      data.set("value", text.results[i]);
      all << data;
    }
    return all;
  }

  const group_order& order_;
  const pointwise& x_;
  map_layout layout_;
  std::vector<way> operands_, results_;
  std::int64_t vector_ = 1, block_ = 256, items_ = 1, tiles_ = 1, grid_ = 1;
  bool small_ = true;
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
    auto name = (files_.folder / files_.manifest.template_file).string();
    auto text = dsl::render(files_.template_text, writer.data(), name);
    if (!text) return tl::unexpected{text.error()};
    return writer.write(without_gaps(*text));
  }

private:
  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_map(const recipe_files& files) { return std::make_unique<map_recipe>(files); }

}  // namespace dsl::cuda_c
