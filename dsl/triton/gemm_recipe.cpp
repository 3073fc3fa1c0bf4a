#include "dsl/triton/gemm_recipe.hpp"

#include <algorithm>
#include <array>

#include "dsl/text.hpp"
#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/product_text.hpp"
#include "dsl/triton/product_tiles.hpp"

namespace dsl::triton {

namespace {

using messages::buffer_kind;
using messages::dtype;
using messages::expected;

struct analysed_product {
  dsl::matmul product;
  anchored around;
};

expected<analysed_product> analyse_product(const graph_index& graph, std::span<const std::string> nodes) {
  auto product = find_matmul(graph, nodes);
  if (!product) return tl::unexpected{product.error()};
  auto around = surround(graph, nodes, product->core);
  if (!around) return tl::unexpected{around.error()};
  return analysed_product{*std::move(product), *std::move(around)};
}

/// Both operands as they are, of one type of 16 bits.
bool reads_halves(const anchored& x) {
  auto half = [](const prologue& one) {
    auto type = one.operands.size() == 1 ? one.operands[0].spec.dtype : dtype::float32;
    return hands_on(one.expression) && (type == dtype::float16 || type == dtype::bfloat16);
  };
  return half(x.inputs[0]) && half(x.inputs[1])
         && x.inputs[0].operands[0].spec.dtype == x.inputs[1].operands[0].spec.dtype;
}

std::string number(std::int64_t x) { return std::to_string(x); }

/// Planes that one kernel writes and another reads: buffers of scratch memory.
enum plane : std::uint32_t { left_high, left_low, left_exponents, right_high, right_low, right_exponents };
constexpr std::array<const char*, 6> plane_names{"left_high",  "left_low",  "left_exponents",
                                                 "right_high", "right_low", "right_exponents"};

kernel_pointer pointer_to_plane(plane x, const char* name = nullptr) {
  bool exponents = x == left_exponents || x == right_exponents;
  return {name != nullptr ? name : plane_names.at(x), exponents ? "*i32" : "*fp16", {buffer_kind::scratch, x, 0}};
}

class product_writer {
public:
  product_writer(const group_order& order, const analysed_product& x)
      : order_(order),
        x_(x),
        halves_(reads_halves(x.around)),
        code_(x.around),
        tiles_(tile(x.product, {x.around.compute, halves_, along_k(0) && along_k(1)}, order.knobs, order.device)),
        name_("group_" + order.group.name),
        summary_(operators_of(order.graph, order.group.nodes)) {}

  template_data write() {
    template_data data;
    if (tiles_.how == scheme::planes) {
      auto splits = template_list();
      splits << split(0) << split(1);
      data.set("splits", splits);
    }
    auto products = template_list();
    if (tiles_.how != scheme::planes) {
      products << direct(name_, false);
    } else {
      products << of_planes() << direct(name_ + "_rest", true);
    }
    data.set("products", products);
    return data;
  }

  const std::vector<kernel>& kernels() const { return kernels_; }

  std::vector<std::uint64_t> scratch() const {
    if (tiles_.how != scheme::planes) return {};
    auto batch = x_.product.batch;
    auto bytes = [](std::int64_t count, std::int64_t each) { return static_cast<std::uint64_t>(count * each); };
    auto left = bytes(batch * tiles_.rows * tiles_.depth, 2), right = bytes(batch * tiles_.columns * tiles_.depth, 2);
    return {left, left, bytes(batch * tiles_.rows, 4), right, right, bytes(batch * tiles_.columns, 4)};
  }

private:
  /// Whether operand i has neighbours along k side by side in memory.
  bool along_k(std::size_t i) const { return code_.last_is_inner(i) == (i == 0); }

  bool wide() const {
    auto planes = x_.product.batch * std::max(tiles_.rows, tiles_.columns) * tiles_.depth;
    return code_.wide_index() || planes > INT32_MAX;
  }

  template_data finish(template_data data, kernel k, const std::string& what) {
    data.set("summary", summary_ + what);
    data.set("wide", wide());
    data.set("function", k.name);
    data.set("parameters", k.parameters());
    data.set("entry", k.entry());
    kernels_.push_back(std::move(k));
    return data;
  }

  /// Input i as planes along k.
  template_data split(std::size_t i) {
    bool left = i == 0;
    auto lines = left ? tiles_.rows : tiles_.columns;
    kernel k;
    k.name = name_ + (left ? "_left" : "_right");
    k.pointers = code_.reads_of_input(i);
    k.pointers.push_back(pointer_to_plane(left ? left_high : right_high, "high"));
    k.pointers.push_back(pointer_to_plane(left ? left_low : right_low, "low"));
    k.pointers.push_back(pointer_to_plane(left ? left_exponents : right_exponents, "exponents"));
    auto rows = std::int64_t{along_k(i) ? 4 : 16};  // no tile has fewer
    k.constants = {{"ROWS", rows}, {"BLOCK", along_k(i) ? 1024 : 256}};
    k.programs = x_.product.batch * lines / rows;
    k.warps = 8;
    auto text = code_.input(i, {{"m", "k"}, !left, false, "p"}, "        ");
    template_data data;
    data.set("units", number(lines / rows));
    data.set("size", number(left ? x_.product.m : x_.product.n));
    data.set("k", number(x_.product.k));
    data.set("lines_of_planes", number(lines));
    data.set("depth", number(tiles_.depth));
    data.set("lines", text.lines);
    data.set("value", as_block(text.results[0], dtype::float32));
    return finish(std::move(data), std::move(k),
                  left ? ": planes of the left operand" : ": planes of the right operand");
  }

  /// What every kernel has that multiplies.
  template_data product_data() const {
    const auto& p = x_.product;
    template_data data;
    data.set("m", number(p.m));
    data.set("n", number(p.n));
    data.set("k", number(p.k));
    auto down = std::max<std::int64_t>((p.m + tiles_.m - 1) / tiles_.m, 1);
    auto across = std::max<std::int64_t>((p.n + tiles_.n - 1) / tiles_.n, 1);
    data.set("down", number(down));
    data.set("across", number(across));
    data.set("tiles", number(down * across));
    data.set("batch", number(p.batch));
    data.set("rows", number(tiles_.rows));
    data.set("columns", number(tiles_.columns));
    data.set("depth", number(tiles_.depth));
    data.set("type", compute_type(x_.around.compute));
    data.set("upper", p.triangle == triangle::upper);
    data.set("lower", p.triangle == triangle::lower);
    data.set("triangle", p.triangle != triangle::none);
    data.set("diagonal", number(p.diagonal));
    add_results(data);
    return data;
  }

  void add_results(template_data& data) const {
    const auto& p = x_.product;
    triton_printer language{x_.around.compute, {}};
    if (p.alpha != 1) data.set("alpha", language.number(p.alpha));
    if (p.adds) {
      auto added = code_.added(2, "    ");
      template_data one;
      one.set("lines", added.lines);
      one.set("value", as_block(added.results[0], x_.around.compute));
      one.set("beta", language.number(p.beta));
      data.set("added", one);
    }
    auto text = code_.output("value", "    ");
    auto writes = template_list();
    for (std::size_t i = 0; i < text.results.size(); ++i) {
      template_data one;
      one.set("what", x_.around.output.results[i].name);
      one.set("target", code_.target(i));
      one.set("value", text.results[i]);
      writes << one;
    }
    data.set("lines", text.lines);
    data.set("writes", writes);
  }

  kernel product_kernel(const std::string& name, bool reads_inputs) const {
    kernel k;
    k.name = name;
    auto add = [&](const std::vector<kernel_pointer>& all) {
      k.pointers.insert(k.pointers.end(), all.begin(), all.end());
    };
    if (reads_inputs) add(code_.reads_of_input(0)), add(code_.reads_of_input(1));
    if (x_.product.adds) add(code_.reads_of_input(2));
    add(code_.reads_of_output());
    add(code_.writes());
    k.constants = {{"TILE_M", tiles_.m}, {"TILE_N", tiles_.n}, {"TILE_K", tiles_.k}};
    k.programs = tiles_.programs;
    k.warps = tiles_.warps;
    k.stages = tiles_.stages;
    return k;
  }

  template_data of_planes() {
    auto k = product_kernel(name_, false);
    for (auto x : {left_high, left_low, left_exponents, right_high, right_low, right_exponents})
      k.pointers.push_back(pointer_to_plane(x));
    auto data = product_data();
    data.set("planes", true);
    data.set("guarded", true);
    data.set("descriptors", tiles_.descriptors);
    return finish(std::move(data), std::move(k), ": of planes");
  }

  /// @param rest only tiles that planes can't say
  template_data direct(const std::string& name, bool rest) {
    auto k = product_kernel(name, true);
    if (rest) {
      k.pointers.push_back(pointer_to_plane(left_exponents));
      k.pointers.push_back(pointer_to_plane(right_exponents));
      for (auto& [constant, value] : k.constants)
        if (constant == "TILE_K") value = 16;
      k.stages = 2;
    }
    auto left = code_.input(0, {{"m", "k"}, false, halves_, "p"}, "        ");
    auto right = code_.input(1, {{"k", "n"}, false, halves_, "q"}, "        ");
    template_data inner;
    inner.set("left_lines", left.lines);
    inner.set("left", left.results[0]);
    inner.set("right_lines", right.lines);
    inner.set("right", right.results[0]);
    inner.set("precision", rest ? "ieee" : tiles_.precision);
    auto data = product_data();
    data.set("direct", inner);
    data.set("guarded", rest);
    data.set("rest", rest);
    return finish(std::move(data), std::move(k), rest ? ": tiles with a NaN or infinity" : "");
  }

  const group_order& order_;
  const analysed_product& x_;
  bool halves_;
  product_code code_;
  product_tiles tiles_;
  std::string name_, summary_;
  std::vector<kernel> kernels_;
};

class gemm_recipe : public recipe {
public:
  explicit gemm_recipe(const recipe_files& files) : files_(files) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    auto x = analyse_product(graph, nodes);
    if (!x) return tl::unexpected{x.error()};
    return {};
  }

  expected<group_text> render(const group_order& order) const override {
    auto x = analyse_product(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    product_writer writer{order, *x};
    auto text = render_kernel(files_, writer.write());
    if (!text) return tl::unexpected{text.error()};
    group_text result{.name = order.group.name, .text = *std::move(text), .reads = {}, .writes = {}};
    for (const auto& input : x->around.inputs)
      for (const auto& operand : input.operands) result.reads.push_back(operand.name);
    for (const auto& operand : x->around.output.operands) result.reads.push_back(operand.name);
    for (const auto& written : x->around.output.results) result.writes.push_back(written.name);
    for (const auto& kernel : writer.kernels()) {
      auto launch = kernel.launch();
      if (!launch) return tl::unexpected{launch.error()};
      result.launches.push_back(*std::move(launch));
    }
    result.scratch = writer.scratch();
    return result;
  }

private:
  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_gemm(const recipe_files& files) { return std::make_unique<gemm_recipe>(files); }

}  // namespace dsl::triton
