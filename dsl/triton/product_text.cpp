#include "dsl/triton/product_text.hpp"

#include <algorithm>
#include <cstdlib>

#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/index_text.hpp"

namespace dsl::triton {

namespace {

const tile_axes result_axes{"m", "n"};

view with_batch(view x) {
  while (x.shape.size() < 3) x.shape.insert(x.shape.begin(), 1), x.strides.insert(x.strides.begin(), 0);
  return x;
}

std::string times(const std::string& index, std::int64_t step) {
  return step == 1 ? index : index + " * " + std::to_string(step);
}

/// Which of the axes an element's place depends on.
struct movement {
  std::int64_t batch, first, second;
  explicit movement(const view& x)
      : batch(x.shape[0] == 1 ? 0 : x.strides[0]),
        first(x.shape[1] == 1 ? 0 : x.strides[1]),
        second(x.shape[2] == 1 ? 0 : x.strides[2]) {}
};

/// @param both a block of both axes also where the place moves along one or none
std::string place_of(const view& from, const tile_axes& axes, bool both) {
  auto x = with_batch(from);
  movement moves{x};
  std::string text;
  auto add = [&](const std::string& part) { text += " + " + part; };
  if (x.offset != 0) add(std::to_string(x.offset));
  if (moves.batch != 0) add(times("batch", moves.batch));
  if (moves.first != 0 || both) add(times(axes.first + "[:, None]", both && moves.first == 0 ? 0 : moves.first));
  if (moves.second != 0 || both) add(times(axes.second + "[None, :]", both && moves.second == 0 ? 0 : moves.second));
  return text;
}

std::int64_t reach(const view& x) { return std::abs(x.offset) + reach_of(x.shape, x.strides); }

}  // namespace

product_code::product_code(const anchored& around) : around_(around) {
  auto look = [&](const std::vector<seen_tensor>& all) {
    for (const auto& x : all) wide_ = wide_ || reach(x.place) > INT32_MAX / 2;
  };
  for (const auto& input : around.inputs) look(input.operands);
  look(around.output.operands);
  look(around.output.results);
}

std::size_t product_code::first_read(std::size_t input) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < input; ++i) first += around_.inputs[i].operands.size();
  return first;
}

namespace {

std::vector<kernel_pointer> pointers_to(const std::vector<seen_tensor>& all, std::size_t first, const char* letter,
                                        messages::buffer_kind buffer) {
  std::vector<kernel_pointer> pointers;
  for (const auto& x : all) {
    auto index = static_cast<std::uint32_t>(first++);
    pointers.push_back({letter + std::to_string(index), pointer_of(x.spec.dtype), {buffer, index, 0}});
  }
  return pointers;
}

}  // namespace

std::vector<kernel_pointer> product_code::reads_of_input(std::size_t i) const {
  return pointers_to(around_.inputs[i].operands, first_read(i), "x", messages::buffer_kind::argument);
}
std::vector<kernel_pointer> product_code::reads_of_output() const {
  return pointers_to(around_.output.operands, first_read(around_.inputs.size()), "x", messages::buffer_kind::argument);
}
std::vector<kernel_pointer> product_code::writes() const {
  return pointers_to(around_.output.results, 0, "y", messages::buffer_kind::output);
}

std::string product_code::load(std::size_t number, const seen_tensor& x, const view& place, const tile_axes& axes,
                               bool narrow) const {
  movement moves{with_batch(place)};
  std::string mask;
  if (moves.first != 0) mask = axes.first + "_in[:, None]";
  if (moves.second != 0) mask += (mask.empty() ? "" : " & ") + axes.second + "_in[None, :]";
  auto text = "tl.load(x" + std::to_string(number) + place_of(place, axes, false)
              + (mask.empty() ? ")" : ", mask=" + mask + ", other=0)");
  return narrow ? text : loaded(text, x.spec.dtype, around_.compute);
}

printed product_code::text_of(const messages::expression& x, std::vector<std::string> operands,
                              const std::string& prefix, const char* indent) const {
  if (hands_on(x)) return {"", std::vector<std::string>(x.results.size(), operands.front())};
  return print(x, triton_printer{around_.compute, std::move(operands)}, {.prefix = prefix, .indent = indent});
}

namespace {

view swapped(const view& from) {
  auto x = with_batch(from);
  std::swap(x.shape[1], x.shape[2]);
  std::swap(x.strides[1], x.strides[2]);
  return x;
}

}  // namespace

printed product_code::input(std::size_t i, const input_options& options, const char* indent) const {
  const auto& from = around_.inputs[i];
  std::vector<std::string> operands;
  bool zero_outside = hands_on(from.expression);
  for (std::size_t j = 0; j < from.operands.size(); ++j) {
    const auto& x = from.operands[j];
    auto place = options.turned ? swapped(x.place) : with_batch(x.place);
    movement moves{place};
    zero_outside = zero_outside && moves.first != 0 && moves.second != 0;
    operands.push_back(load(first_read(i) + j, x, place, options.axes, options.narrow));
  }
  auto text = text_of(from.expression, std::move(operands), options.prefix, indent);
  if (!zero_outside) {
    auto inside = options.axes.first + "_in[:, None] & " + options.axes.second + "_in[None, :]";
    text.results[0] = "tl.where(" + inside + ", " + as_block(text.results[0], around_.compute) + ", 0.0)";
  }
  return text;
}

bool product_code::last_is_inner(std::size_t i) const {
  const auto& all = around_.inputs[i].operands;
  auto larger = [](const seen_tensor& a, const seen_tensor& b) {
    return elements(a.spec.shape) < elements(b.spec.shape);
  };
  auto most = std::ranges::max_element(all, larger);
  if (most == all.end()) return true;
  const auto& strides = most->place.strides;
  return std::abs(strides.back()) == 1 || std::abs(strides[strides.size() - 2]) != 1;
}

printed product_code::added(std::size_t i, const char* indent) const {
  const auto& from = around_.inputs[i];
  std::vector<std::string> operands;
  for (std::size_t j = 0; j < from.operands.size(); ++j) {
    auto place = broadcast(from.operands[j].place, around_.output.shape);
    operands.push_back(load(first_read(i) + j, from.operands[j], place.value_or(from.operands[j].place), result_axes));
  }
  return text_of(from.expression, std::move(operands), "c", indent);
}

printed product_code::output(const std::string& value, const char* indent) const {
  const auto& to = around_.output;
  auto first = first_read(around_.inputs.size());
  std::vector<std::string> operands{value};
  for (std::size_t j = 0; j < to.operands.size(); ++j)
    operands.push_back(load(first + j, to.operands[j], to.operands[j].place, result_axes));
  auto text = text_of(to.expression, std::move(operands), "e", indent);
  for (std::size_t j = 0; j < to.results.size(); ++j)
    text.results[j] = stored(text.results[j], around_.compute, to.results[j].spec.dtype);
  return text;
}

std::string product_code::target(std::size_t i) const {
  return 'y' + std::to_string(i) + place_of(around_.output.results[i].place, result_axes, true);
}

}  // namespace dsl::triton
