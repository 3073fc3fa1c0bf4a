#include "dsl/triton/nest_code.hpp"

#include <algorithm>
#include <cctype>

#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/index_text.hpp"

namespace dsl::triton {

namespace {

bool is_name(const std::string& x) {
  return std::ranges::all_of(x, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

std::string in_parentheses(const std::string& x) { return is_name(x) ? x : '(' + x + ')'; }

std::vector<std::int64_t> steps_between(const nest_tensor& x, std::size_t first, std::size_t end) {
  auto begin = x.steps.begin();
  return {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::string as_column(const std::string& text) { return in_parentheses(text) + "[:, None]"; }
std::string as_row(const std::string& text) { return in_parentheses(text) + "[None, :]"; }

// -- where a tensor's elements lie ------------------------------------------------------------------------------------

std::string nest_code::kept_place(const nest_tensor& x) const {
  return place_text("row", tiles_.kept_sizes, steps_between(x, 0, tiles_.nest.kept));
}

std::string nest_code::reduced_place(const nest_tensor& x, const std::string& label) const {
  return place_text("at" + label, tiles_.reduced_sizes, steps_between(x, tiles_.nest.kept, x.steps.size()));
}

bool nest_code::along_kept(const nest_tensor& x) const { return kept_place(x) != "0"; }
bool nest_code::along_reduced(const nest_tensor& x) const { return reduced_place(x, "") != "0"; }

std::string nest_code::position(std::uint32_t index, extent how, const std::string& label) const {
  const auto& x = tiles_.nest.operands[index];
  auto wide = [](const std::string& text) { return in_parentheses(text) + ".to(tl.int64)"; };
  auto rows = along_kept(x) && how != extent::one ? wide(kept_place(x)) : "";
  if (how == extent::rows) return rows.empty() ? "tl.full([], 0, tl.int64)" : rows;
  auto columns = along_reduced(x) && how == extent::tile ? wide(reduced_place(x, label)) : "";
  if (rows.empty() && columns.empty()) return "tl.full([], 0, tl.int64)";
  if (rows.empty()) return columns + "[None, :]";
  return columns.empty() ? rows + "[:, None]" : '(' + rows + "[:, None] + " + columns + "[None, :])";
}

const nest_tensor& nest_code::target_of(std::size_t index) const {
  for (const auto* results : {&tiles_.nest.each_kept, &tiles_.nest.each_element, &tiles_.nest.once}) {
    if (index < results->targets.size()) return results->targets[index];
    index -= results->targets.size();
  }
  return tiles_.nest.once.targets.at(index);
}

/// A block of values goes to a block of places, also where there is only one.
std::string nest_code::target(std::size_t index, extent how, const std::string& label) {
  writes_.insert(index);
  const auto& x = target_of(index);
  auto text = 'y' + std::to_string(index);
  if (how == extent::one) return text;
  auto rows = along_kept(x) ? kept_place(x) : "row";
  if (how == extent::rows) return text + " + " + rows;
  auto columns = along_reduced(x) ? reduced_place(x, label) : "at" + label;
  return text + " + " + as_column(rows) + " + " + as_row(columns);
}

// -- operands ---------------------------------------------------------------------------------------------------------

bool nest_code::is_place(std::uint32_t slot) const {
  auto fills = [&](const nest_reduction& x) { return x.position && x.slot + 1 == slot; };
  const auto& nest = tiles_.nest;
  bool found = nest.last && std::ranges::any_of(nest.last->reductions, fills);
  for (const auto& stage : nest.stages) found = found || std::ranges::any_of(stage.reductions, fills);
  return found;
}

std::string nest_code::slot_type(std::uint32_t slot) const {
  return is_place(slot) ? "tl.int64" : compute_type(tiles_.nest.compute);
}

std::string nest_code::slot(std::uint32_t slot, extent how) {
  used_slots_.insert(slot);
  auto text = 's' + std::to_string(slot) + (how == extent::tile ? "[:, None]" : "");
  return slot_type(slot) == compute_type(tiles_.nest.compute) ? text
                                                              : text + ".to(" + compute_type(tiles_.nest.compute) + ')';
}

/// The text of an operand; what it needs at the kernel's beginning is noted.
std::string nest_code::operand(std::uint32_t index, extent how, const std::string& label) {
  const auto& x = tiles_.nest.operands[index];
  if (how == extent::one) scalar_ = true;
  if (how == extent::tile && along_reduced(x))
    return 'v' + std::to_string(index) + label + (along_kept(x) ? "" : "[None, :]");
  auto name = 'r' + std::to_string(index);
  row_reads_.insert(index);
  if (!x.is_position()) reads_.insert(index);
  return how == extent::tile && along_kept(x) ? name + "[:, None]" : name;
}

std::string nest_code::row_load(std::uint32_t index, bool scalar) const {
  const auto& x = tiles_.nest.operands[index];
  auto type = compute_type(tiles_.nest.compute);
  auto name = 'r' + std::to_string(index);
  if (x.is_position())
    return name + " = " + position(index, scalar ? extent::one : extent::rows, "") + ".to(" + type + ')';
  auto pointer = 'x' + std::to_string(index);
  bool moves = !scalar && along_kept(x);
  if (!moves && elements(x.spec.shape) == 0) return name + " = tl.full([], 0, " + type + ')';
  auto load =
      moves ? "tl.load(" + pointer + " + " + kept_place(x) + ", mask=there, other=0)" : "tl.load(" + pointer + ')';
  return name + " = " + loaded(load, x.spec.dtype, tiles_.nest.compute);
}

std::string nest_code::row_loads() const {
  std::string lines;
  for (auto index : row_reads_) lines += "    " + row_load(index, scalar_) + '\n';
  return lines;
}

std::string nest_code::tile_load(std::uint32_t index, const std::string& label) const {
  const auto& x = tiles_.nest.operands[index];
  auto type = compute_type(tiles_.nest.compute);
  if (x.is_position()) {
    auto text = position(index, extent::tile, label);
    // A column of positions is kept as a row, as loads of such a tensor are.
    if (!along_kept(x)) text = in_parentheses(reduced_place(x, label));
    return text + ".to(" + type + ')';
  }
  auto pointer = "tl.load(x" + std::to_string(index) + " + ";
  auto columns = reduced_place(x, label);
  auto load = along_kept(x)
                  ? pointer + as_column(kept_place(x)) + " + " + as_row(columns) + ", mask=tile" + label + ", other=0)"
                  : pointer + columns + ", mask=inside" + label + ", other=0)";
  return loaded(load, x.spec.dtype, tiles_.nest.compute);
}

std::string nest_code::tile_loads(const messages::expression& x, const std::string& label, const char* indent) {
  std::set<std::uint32_t> wanted;
  for (const auto& node : x.nodes)
    if (node.operand && *node.operand < tiles_.nest.operands.size()) wanted.insert(*node.operand);
  std::string lines;
  for (auto index : wanted) {
    const auto& tensor = tiles_.nest.operands[index];
    auto name = 'v' + std::to_string(index) + label;
    if (!along_reduced(tensor) || !loaded_.insert(name).second) continue;
    if (!tensor.is_position()) reads_.insert(index);
    lines += indent + name + " = " + tile_load(index, label) + '\n';
  }
  return lines;
}

printed nest_code::text_of(const messages::expression& x, extent how, const std::string& prefix,
                           const std::string& label, const char* indent) {
  std::set<std::uint32_t> used;
  for (const auto& node : x.nodes)
    if (node.operand) used.insert(*node.operand);
  std::vector<std::string> texts(tiles_.nest.operands.size() + tiles_.nest.slots);
  auto first_slot = static_cast<std::uint32_t>(tiles_.nest.operands.size());
  for (auto i : used) texts[i] = i < first_slot ? operand(i, how, label) : slot(i - first_slot, how);
  auto text = print(x, triton_printer{tiles_.nest.compute, texts}, {.prefix = prefix, .indent = indent});
  return text;
}

/// A place is handed on as the integer that it is.
std::string nest_code::value_to_store(const messages::expression& x, std::size_t result, const printed& text,
                                      extent how, messages::dtype memory) const {
  auto first_slot = static_cast<std::uint32_t>(tiles_.nest.operands.size());
  const auto& node = x.nodes[x.results[result]];
  if (!node.operand || *node.operand < first_slot || !is_place(*node.operand - first_slot))
    return stored(text.results[result], tiles_.nest.compute, memory);
  auto place = 's' + std::to_string(*node.operand - first_slot) + (how == extent::tile ? "[:, None]" : "");
  return stored(place, messages::dtype::int64, memory);
}

// -- pointers ---------------------------------------------------------------------------------------------------------

std::vector<kernel_pointer> nest_code::pointers() const {
  using messages::buffer_kind;
  auto index_in = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::uint32_t>(std::ranges::find(names, name) - names.begin());
  };
  std::vector<kernel_pointer> all;
  for (auto i : reads_) {
    const auto& x = tiles_.nest.operands[i];
    all.push_back({'x' + std::to_string(i),
                   pointer_of(x.spec.dtype),
                   {buffer_kind::argument, index_in(interface_.reads, x.name), 0}});
  }
  for (auto i : writes_) {
    const auto& x = target_of(i);
    bool made = std::ranges::count(interface_.writes, x.name) > 0;
    auto place = made ? messages::buffer_place{buffer_kind::output, index_in(interface_.writes, x.name), 0}
                      : messages::buffer_place{buffer_kind::argument, index_in(interface_.reads, x.name), 0};
    all.push_back({'y' + std::to_string(i), pointer_of(x.spec.dtype), place});
  }
  return all;
}

}  // namespace dsl::triton
