#include "dsl/cpp/gemm_recipe.hpp"

#include <algorithm>

#include "dsl/cpp/anchored_text.hpp"
#include "dsl/cpp/knob_values.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/matmul.hpp"

namespace dsl::cpp {

namespace {

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

view with_batch(view x) {
  if (x.shape.size() == 2) x.shape.insert(x.shape.begin(), 1), x.strides.insert(x.strides.begin(), 0);
  return x;
}

std::optional<view> three_dimensions(const view& x) { return with_batch(x); }

std::optional<view> swapped(const view& x) {
  auto y = with_batch(x);
  std::swap(y.shape[1], y.shape[2]);
  std::swap(y.strides[1], y.strides[2]);
  return y;
}

/// Whether the last dimension is the inner one of what is read most: the largest tensor of the prologue.
bool last_is_inner(const prologue& x) {
  auto larger = [](const seen_tensor& a, const seen_tensor& b) {
    return elements(a.spec.shape) < elements(b.spec.shape);
  };
  auto most = std::ranges::max_element(x.operands, larger);
  if (most == x.operands.end()) return true;
  const auto& strides = most->place.strides;
  auto last = std::abs(strides.back()), before = std::abs(strides[strides.size() - 2]);
  return last == 1 || before != 1;
}

struct blocks {
  std::int64_t m, n, k;
};

/// The knobs' blocks, cut until there are some for each core.
blocks choose_blocks(const matmul& x, const group_order& order) {
  blocks b{whole_knob(order.knobs, "block_m"), whole_knob(order.knobs, "block_n"), whole_knob(order.knobs, "block_k")};
  auto cores = order.device.limits.find("cores");
  auto wanted = cores == order.device.limits.end() ? std::int64_t{4} : 2 * static_cast<std::int64_t>(cores->second);
  auto parts = [](std::int64_t size, std::int64_t block) { return (size + block - 1) / block; };
  while (x.batch * parts(x.m, b.m) * parts(x.n, b.n) < wanted && (b.m > 24 || b.n > 64)) {
    bool tall = std::min(b.m, x.m) * 2 > std::min(b.n, x.n);
    if ((tall && b.m > 24) || b.n <= 64) {
      b.m /= 2;
    } else {
      b.n /= 2;
    }
  }
  return b;
}

std::string number_text(double x, bool wide) {
  return c_printer{wide ? dtype::float64 : dtype::float32, math::vector, {}}.number(x);
}

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
    bool left_along_k = last_is_inner(x->around.inputs[0]);
    bool right_along_k = !last_is_inner(x->around.inputs[1]);
    std::vector<to_kernel_space> inputs{left_along_k ? &three_dimensions : &swapped,
                                        right_along_k ? &swapped : &three_dimensions};
    auto spread = [to = x->around.output.shape](const view& from) -> std::optional<view> {
      auto y = broadcast(from, to);
      return y ? three_dimensions(*y) : std::nullopt;
    };
    if (x->product.adds) inputs.emplace_back(spread);
    bool wide = x->around.compute == dtype::float64;
    anchored_order all{order,
                       x->around,
                       wide ? "double" : "float",
                       std::move(inputs),
                       &three_dimensions,
                       "gemm_loop.hpp",
                       whole_knob(order.knobs, "block_n"),
                       functions(order.knobs)};
    auto data = anchored_data(all, files_);
    if (!data) return tl::unexpected{data.error()};
    data->set("left_along_k", left_along_k ? "true" : "false");
    data->set("right_along_k", right_along_k ? "true" : "false");
    add_product(*data, x->product, order, wide);
    return anchored_text(all, files_, *data);
  }

private:
  static void add_product(template_data& data, const matmul& x, const group_order& order, bool wide) {
    auto b = choose_blocks(x, order);
    data.set("batch", std::to_string(x.batch));
    data.set("m", std::to_string(x.m));
    data.set("n", std::to_string(x.n));
    data.set("k", std::to_string(x.k));
    data.set("block_m", std::to_string(b.m));
    data.set("block_n", std::to_string(b.n));
    data.set("block_k", std::to_string(b.k));
    data.set("adds", x.adds ? "true" : "false");
    data.set("has_added", x.adds);
    data.set("alpha", number_text(x.alpha, wide));
    data.set("beta", number_text(x.beta, wide));
    data.set("triangle", x.triangle == triangle::none ? "0" : x.triangle == triangle::upper ? "1" : "-1");
    data.set("diagonal", std::to_string(x.diagonal));
    data.set("parallel_threshold", std::to_string(whole_knob(order.knobs, "parallel_threshold")));
  }

  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_gemm(const recipe_files& files) { return std::make_unique<gemm_recipe>(files); }

}  // namespace dsl::cpp
