#include "dsl/cpp/anchored_text.hpp"

#include <algorithm>
#include <numeric>

#include "dsl/cpp/knob_values.hpp"
#include "dsl/cpp/text.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using numbers = std::vector<std::int64_t>;

/// One tensor as the template sees it.
struct row_tensor {
  std::string id;
  std::string from;  ///< "in[0]"
  const seen_tensor* tensor = nullptr;
  view place;  ///< in the kernel's space
  bool written = false;
  bool streamed = false;  ///< written past the cache

  std::int64_t step() const { return place.strides.empty() ? 0 : place.strides.back(); }
  std::string element() const {
    if (step() == 1) return id + "[i]";
    if (step() == 0) return '*' + id;
    return id + "[i * " + std::to_string(step()) + ']';
  }
};

std::int64_t extent(const messages::tensor_spec& x) {
  std::int64_t last = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) last += std::max<std::int64_t>(x.shape[i] - 1, 0) * x.strides[i];
  return last;
}

template_data tensor_data(const row_tensor& x) {
  const auto& spec = x.tensor->spec;
  template_data data;
  data.set("id", x.id);
  data.set("what", x.tensor->name + ' ' + shape_of(spec));
  data.set("from", x.from);
  data.set("constant", x.written ? "" : "const ");
  data.set("is_input", !x.written);
  data.set("streamed", x.streamed);
  data.set("type", std::string{type_of(spec.dtype)});
  data.set("dtype", dtype_of(spec.dtype));
  data.set("bytes", std::to_string(messages::bytes_of(spec.dtype)));
  data.set("tensor_rank", std::to_string(spec.shape.size()));
  data.set("shape", list_of(spec.shape));
  data.set("strides", list_of(spec.strides));
  data.set("extent", std::to_string(extent(spec)));
  data.set("first", std::to_string(x.place.offset));
  data.set("steps", list_of(x.place.strides));
  return data;
}

/// Adds one tensor; false where it does not fit into the space.
bool add(std::vector<row_tensor>& to, const std::string& id, const std::string& from, const seen_tensor& tensor,
         const to_kernel_space& space, bool written) {
  auto place = space(tensor.place);
  if (!place) return false;
  to.push_back({id, from, &tensor, *std::move(place), written});
  return true;
}

/// Tensors of one function: of one prologue, or of the epilogue.
struct row_function {
  std::string name;
  std::vector<row_tensor> tensors;
  std::string lines;
  std::vector<std::string> results;
};

/// Below that the result fits into the caches, and whoever reads it next is faster if it stays there.
constexpr std::int64_t streaming_bytes = 16 << 20;

template_data function_data(const row_function& x) {
  template_data data;
  data.set("function", x.name);
  data.set("lines", x.lines);
  auto tensors = template_list();
  auto results = template_list();
  auto streams = template_list();
  std::size_t written = 0;
  for (const auto& tensor : x.tensors) {
    tensors << tensor_data(tensor);
    if (tensor.streamed) streams << tensor_data(tensor);
    if (!tensor.written) continue;
    template_data result;
    result.set("target", tensor.element());
    result.set("type", std::string{type_of(tensor.tensor->spec.dtype)});
    result.set("value", x.results[written++]);
    results << result;
  }
  data.set("tensors", tensors);
  data.set("results", results);
  data.set("streams", streams);
  if (written == 0) data.set("value", x.results.front());
  return data;
}

class writer {
public:
  writer(const anchored_order& order, const recipe_files& files) : order_(order), files_(files) {}

  expected<template_data> write() {
    auto readers = template_list();
    for (std::size_t i = 0; i < order_.around.inputs.size(); ++i) {
      auto reader = read_function(i);
      if (!reader) return does_not_fit();
      readers << function_data(*reader);
      all_.insert(all_.end(), reader->tensors.begin(), reader->tensors.end());
    }
    auto epilogue = write_function();
    if (!epilogue) return does_not_fit();
    all_.insert(all_.end(), epilogue->tensors.begin(), epilogue->tensors.end());
    return whole_data(readers, *epilogue);
  }

private:
  static tl::unexpected<messages::failure> does_not_fit() {
    return messages::fail(messages::failure_code::bad_input, "a tensor does not fit into the kernel's order of loops");
  }

  printed text_of(const messages::expression& x, std::vector<std::string> operands) const {
    if (hands_on(x)) return {"", std::vector<std::string>(x.results.size(), operands.front())};
    c_printer language{order_.around.compute, order_.functions, std::move(operands)};
    return print(x, language, {.prefix = "t", .indent = "    "});
  }

  std::optional<row_function> read_function(std::size_t i) {
    const auto& from = order_.around.inputs[i];
    row_function x{"read" + std::to_string(i), {}, {}, {}};
    std::vector<std::string> operands;
    for (const auto& operand : from.operands) {
      auto id = 'x' + std::to_string(reads_);
      auto in = "in[" + std::to_string(reads_++) + ']';
      if (!add(x.tensors, id, in, operand, order_.inputs[i], false)) return std::nullopt;
      operands.push_back("km::load(" + x.tensors.back().element() + ')');
    }
    auto text = text_of(from.expression, std::move(operands));
    x.lines = text.lines;
    x.results = text.results;
    return x;
  }

  bool streams(const row_tensor& x) const {
    auto wish = word_knob(order_.group.knobs, "streaming_stores");
    if (x.step() != 1 || wish == "off") return false;
    auto bytes = elements(x.tensor->spec.shape) * static_cast<std::int64_t>(messages::bytes_of(x.tensor->spec.dtype));
    return wish == "on" || bytes >= streaming_bytes;
  }

  /// One result, streamed, that is the numbers as they are.
  bool is_plain(const row_function& x) const {
    return x.tensors.size() == 1 && x.tensors[0].streamed && hands_on(order_.around.output.expression)
           && type_of(x.tensors[0].tensor->spec.dtype) == order_.number;
  }

  std::optional<row_function> write_function() {
    const auto& to = order_.around.output;
    row_function x{"write", {}, {}, {}};
    std::vector<std::string> operands{"from[i]"};
    for (const auto& operand : to.operands) {
      auto id = 'x' + std::to_string(reads_);
      auto in = "in[" + std::to_string(reads_++) + ']';
      if (!add(x.tensors, id, in, operand, order_.output, false)) return std::nullopt;
      operands.push_back("km::load(" + x.tensors.back().element() + ')');
    }
    for (std::size_t i = 0; i < to.results.size(); ++i) {
      auto id = 'y' + std::to_string(i);
      if (!add(x.tensors, id, "out[" + std::to_string(i) + ']', to.results[i], order_.output, true))
        return std::nullopt;
    }
    auto text = text_of(to.expression, std::move(operands));
    x.lines = text.lines;
    x.results = text.results;
    return x;
  }

  template_data whole_data(const template_data& readers, const row_function& epilogue) const {
    std::string operators;
    for (const auto& node : order_.group.group.nodes) {
      operators += (operators.empty() ? "" : ", ") + harmless(order_.group.graph.node(node)->op);
    }
    auto tensors = template_list();
    for (const auto& tensor : all_) tensors << tensor_data(tensor);
    template_data data;
    data.set("name", order_.group.group.name);
    data.set("summary", operators);
    data.set("number", order_.number);
    data.set("all_tensors", tensors);
    data.set("tensor_count", std::to_string(all_.size()));
    data.set("readers", readers);
    auto writer = function_data(epilogue);
    writer.set("plain", is_plain(epilogue));
    data.set("writer", writer);
    data.set("longest", std::to_string(order_.longest_row));
    data.set("streaming", std::ranges::any_of(epilogue.tensors, &row_tensor::streamed));
    data.set("count", std::to_string(elements(order_.around.output.shape)));
    add_partials(data, files_.partials);
    return data;
  }

  const anchored_order& order_;
  const recipe_files& files_;
  std::vector<row_tensor> all_;
  std::size_t reads_ = 0;
};

}  // namespace

std::optional<view> as_it_is(const view& x) { return x; }

expected<template_data> anchored_data(const anchored_order& order, const recipe_files& files) {
  return writer{order, files}.write();
}

expected<group_text> anchored_text(const anchored_order& order, const recipe_files& files, const template_data& data) {
  auto text = dsl::render(files.template_text, data, (files.folder / files.manifest.template_file).string());
  if (!text) return tl::unexpected{text.error()};
  group_text result{order.group.group.name, *std::move(text), {}, {}, {order.include}};
  for (const auto& input : order.around.inputs) {
    for (const auto& operand : input.operands) result.reads.push_back(operand.name);
  }
  for (const auto& operand : order.around.output.operands) result.reads.push_back(operand.name);
  for (const auto& written : order.around.output.results) result.writes.push_back(written.name);
  return result;
}

bool is_direct(const prologue& x, const to_kernel_space& space, messages::dtype number) {
  if (x.operands.size() != 1 || x.expression.nodes.size() != 1 || x.operands[0].spec.dtype != number) return false;
  auto place = space(x.operands[0].place);
  return place && !place->strides.empty() && place->strides.back() == 1;
}

}  // namespace dsl::cpp
