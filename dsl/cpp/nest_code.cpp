#include "dsl/cpp/nest_code.hpp"

#include "dsl/c_printer.hpp"
#include "dsl/cpp/text.hpp"

namespace dsl::cpp {

using messages::dtype;

// -- variables --------------------------------------------------------------------------------------------------------

std::string nest_variable::type() const { return std::string{type_of(place->tensor.spec.dtype)}; }

std::string nest_variable::element() const {
  switch (place->inner) {
    case motion::unit: return id + "[i]";
    case motion::repeated: return '*' + id;
    default: return id + "[i * step_" + id + ']';
  }
}

std::string nest_variable::position() const {
  switch (place->inner) {
    case motion::unit: return '(' + id + " + i)";
    case motion::repeated: return id;
    default: return '(' + id + " + i * step_" + id + ')';
  }
}

nest_code::nest_code(const nest_layout& layout, bool plain_math) : layout_(layout), plain_(plain_math) {
  name_all('x', layout.operands, operands_);
  for (const auto* places : {&layout.kept, &layout.element, &layout.once}) name_all('y', *places, targets_);
  find_index_slots();
}

void nest_code::name_all(char letter, const std::vector<nest_place>& places, std::vector<nest_variable>& into) {
  for (const auto& place : places) {
    auto id = letter + std::to_string(into.size());
    into.push_back({id, &place, operands_.size() + targets_.size()});
  }
}

void nest_code::find_index_slots() {
  auto look = [&](const nest_stage& stage) {
    for (const auto& x : stage.reductions) {
      if (x.position) index_slots_.insert(x.slot + 1);
    }
  };
  for (const auto& x : layout_.nest.stages) look(x);
  if (layout_.nest.last) look(*layout_.nest.last);
}

std::string nest_code::slot_type(std::uint32_t slot) const {
  return layout_.nest.compute == dtype::int64 || index_slots_.contains(slot) ? "int64_t" : "double";
}

std::string nest_code::slot(std::uint32_t slot) const {
  return 's' + std::to_string(slot) + (layout_.column ? "[i]" : "");
}

std::string nest_code::element_type() const {
  auto type = layout_.nest.compute;
  return type == dtype::int64 ? "int64_t" : type == dtype::float64 ? "double" : "float";
}

std::string nest_code::monoid_of(const nest_reduction& x, const std::string& type) const {
  std::string name{"km::"};
  switch (x.kind) {
    case monoid::sum: return name + "sum<" + type + '>';
    case monoid::prod: return name + "prod<" + type + '>';
    case monoid::max: return name + "max<" + type + '>';
    case monoid::min: return name + "min<" + type + '>';
    case monoid::moments: return name + "moments<" + type + '>';
    default: break;
  }
  std::string place = type == "float" && layout_.count < INT32_MAX ? "int32_t" : "int64_t";
  return name + (x.kind == monoid::argmax ? "argmax<" : "argmin<") + type + ", " + place + '>';
}

// -- what code uses ---------------------------------------------------------------------------------------------------

void nest_code::use_tensor(nest_uses& u, const nest_variable& v, bool constant, const std::string& passed) const {
  auto index = std::to_string(v.index);
  if (v.place->tensor.is_position()) {
    u.locals += "    const int64_t " + v.id + " = at[" + index + "];\n";
    u.parameters += ", int64_t " + v.id;
  } else {
    u.locals += "    auto* " + v.id + " = x[" + index + "].data<" + v.type() + ">() + at[" + index + "];\n";
    u.parameters += std::string{", "} + (constant ? "const " : "") + v.type() + "* __restrict__ " + v.id;
  }
  u.arguments += ", " + passed;
  if (v.place->inner != motion::strided) return;
  u.locals += "    const int64_t step_" + v.id + " = x[" + index + "].step(" + std::to_string(layout_.inner()) + ");\n";
  u.parameters += ", int64_t step_" + v.id;
  u.arguments += ", step_" + v.id;
}

void nest_code::use_slot(nest_uses& u, std::uint32_t slot) const {
  auto id = 's' + std::to_string(slot);
  auto type = "const " + slot_type(slot) + (layout_.column ? "*" : "");
  u.locals += "    " + type + ' ' + id + " = v." + id + ";\n";
  u.parameters += ", " + type + (layout_.column ? " __restrict__ " : " ") + id;
  u.arguments += ", " + id;
}

nest_uses nest_code::uses_of(const messages::expression& x, const std::set<std::uint32_t>& more) const {
  auto operands = more;
  for (const auto& node : x.nodes)
    if (node.operand) operands.insert(*node.operand);
  nest_uses u;
  for (auto i : operands) {
    if (i < operands_.size()) {
      use_tensor(u, operands_[i], true, operands_[i].id);
    } else {
      use_slot(u, i - static_cast<std::uint32_t>(operands_.size()));
    }
  }
  return u;
}

// -- expressions ------------------------------------------------------------------------------------------------------

printed nest_code::text_of(const messages::expression& x, precision how, const char* indent) const {
  std::vector<std::string> texts;
  for (const auto& v : operands_) {
    texts.push_back(v.place->tensor.is_position() ? v.position() : "km::load(" + v.element() + ')');
  }
  for (std::uint32_t s = 0; s < layout_.nest.slots; ++s) texts.push_back(slot(s));
  auto type = layout_.nest.compute;
  if (type != dtype::int64 && how == precision::kept) type = dtype::float64;
  c_printer language{type, plain_ ? math::plain : math::vector, std::move(texts)};
  return with_places(x, print(x, language, {.prefix = "t", .indent = indent}), layout_.column ? "[i]" : "");
}

printed nest_code::text_of_once(const messages::expression& x, nest_uses& u) const {
  std::vector<std::string> texts(operands_.size(), "0");
  for (std::uint32_t s = 0; s < layout_.nest.slots; ++s) texts.push_back('s' + std::to_string(s));
  for (const auto& node : x.nodes) {
    if (!node.operand || *node.operand >= operands_.size()) continue;
    const auto& v = operands_[*node.operand];
    use_tensor(u, v, true, v.id);
    texts[*node.operand] = v.place->tensor.is_position() ? v.id : "km::load(*" + v.id + ')';
  }
  auto type = layout_.nest.compute == dtype::int64 ? dtype::int64 : dtype::float64;
  c_printer language{type, math::plain, std::move(texts)};
  return with_places(x, print(x, language, {.prefix = "t", .indent = "    "}), "");
}

/// A place is handed on as the integer that it is.
printed nest_code::with_places(const messages::expression& x, printed text, const char* element) const {
  auto count = static_cast<std::uint32_t>(operands_.size());
  for (std::size_t i = 0; i < x.results.size(); ++i) {
    const auto& node = x.nodes[x.results[i]];
    if (!node.operand || *node.operand < count || !index_slots_.contains(*node.operand - count)) continue;
    text.results[i] = 's' + std::to_string(*node.operand - count) + element;
  }
  return text;
}

}  // namespace dsl::cpp
