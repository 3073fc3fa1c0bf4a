#include "dsl/cuda_c/row_code.hpp"

#include "dsl/c_printer.hpp"

namespace dsl::cuda_c {

using messages::dtype;

row_code::row_code(const row_layout& layout) : layout_(layout) {
  auto look = [&](const nest_stage& stage) {
    for (const auto& x : stage.reductions)
      if (x.position) index_slots_.insert(x.slot + 1);
  };
  for (const auto& x : layout.nest.stages) look(x);
  if (layout.nest.last) look(*layout.nest.last);
}

tensor_text row_code::operand(std::uint32_t i) const {
  const auto& x = layout_.operands[i].tensor;
  return {'x' + std::to_string(i), x.spec, x.name};
}

tensor_text row_code::target(std::size_t i) const {
  const auto& x = layout_.targets[i].tensor;
  return {'y' + std::to_string(i), x.spec, x.name};
}

std::string row_code::element_type() const {
  auto type = layout_.nest.compute;
  return type == dtype::int64 ? "int64_t" : type == dtype::float64 ? "double" : "float";
}

std::string row_code::slot_type(std::uint32_t slot) const {
  return index_slots_.contains(slot) ? "int64_t" : element_type();
}

std::string row_code::monoid_of(const nest_reduction& x) const {
  static constexpr std::array<const char*, 7> names{"sum", "prod", "max", "min", "argmax", "argmin", "moments"};
  return std::string{names[static_cast<std::size_t>(x.kind)]} + '<' + element_type() + '>';
}

std::string row_code::slot(std::uint32_t slot, level at) const {
  return 's' + std::to_string(slot) + (layout_.column && at != level::once ? "[j]" : "");
}

std::string row_code::slot_value(const std::string& total, const nest_reduction& x, std::uint32_t which) const {
  return total + ".r" + std::to_string(x.slot) + (which == 0 ? ".first()" : ".second()");
}

std::string row_code::position(std::uint32_t operand, level at) const {
  const auto& x = layout_.operands[operand];
  std::string row = layout_.column ? "(row + j)" : "row";
  auto rows = at == level::once ? std::string{"0"} : x.rows.offset(row);
  auto within = at == level::element ? x.within.offset("e") : std::string{"0"};
  auto sum = rows == "0" ? within : within == "0" ? rows : rows + " + " + within;
  return "static_cast<int64_t>(" + sum + ')';
}

std::string row_code::operand_text(std::uint32_t i, level at) const {
  const auto& x = layout_.operands[i];
  if (x.tensor.is_position()) return position(i, at);
  auto id = 'x' + std::to_string(i);
  if (at == level::once) return "km::load(v" + id + ')';
  if (layout_.column) return column_operand(id, x);
  if (!x.kept) return "km::load(" + at_hand(id, x.how) + ')';
  if (layout_.hold == keeping::registers) return "km::load(h" + id + "[k].at[j])";
  return "km::load(h" + id + "[(chunk * " + std::to_string(layout_.items) + " + k) * " + std::to_string(layout_.threads)
         + "].at[j])";
}

std::string row_code::column_operand(const std::string& id, const row_tensor& x) {
  auto place = x.how == access::repeated ? ".at[0])" : ".at[j])";
  auto what = x.kept ? 'h' + id + "[k]" : x.within.is_still() ? 'v' + id : 'p' + id + "[k]";
  return "km::load(" + what + place;
}

printed row_code::text_of(const messages::expression& x, level at, const char* indent) const {
  std::vector<std::string> texts;
  auto count = static_cast<std::uint32_t>(layout_.operands.size());
  for (std::uint32_t i = 0; i < count; ++i) texts.push_back(operand_text(i, at));
  for (std::uint32_t s = 0; s < layout_.nest.slots; ++s) texts.push_back(slot(s, at));
  c_printer language{layout_.nest.compute, math::vector, std::move(texts)};
  auto text = print(x, language, {.prefix = "t", .indent = indent});
  for (std::size_t i = 0; i < x.results.size(); ++i) {  // a place is handed on as the integer that it is
    const auto& node = x.nodes[x.results[i]];
    if (!node.operand || *node.operand < count || !index_slots_.contains(*node.operand - count)) continue;
    text.results[i] = slot(*node.operand - count, at);
  }
  return text;
}

std::set<std::uint32_t> row_code::tensors_in(const messages::expression& x) const {
  std::set<std::uint32_t> found;
  for (const auto& node : x.nodes)
    if (node.operand && *node.operand < layout_.operands.size()
        && !layout_.operands[*node.operand].tensor.is_position())
      found.insert(*node.operand);
  return found;
}

}  // namespace dsl::cuda_c
