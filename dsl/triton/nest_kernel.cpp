#include "dsl/triton/nest_kernel.hpp"

#include <algorithm>

#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/index_text.hpp"

namespace dsl::triton {

using messages::dtype;

namespace {

std::string combine_of(monoid x) {
  switch (x) {
    case monoid::sum: return "km_add";
    case monoid::prod: return "km_multiply";
    case monoid::max: return "km_maximum";
    case monoid::min: return "km_minimum";
    case monoid::argmax: return "km_argmax";
    case monoid::argmin: return "km_argmin";
    default: return "km_moments";
  }
}

/// What a reduction begins with.
std::string start_of(monoid x, dtype compute) {
  bool low = x == monoid::max || x == monoid::argmax;
  bool high = x == monoid::min || x == monoid::argmin;
  if (!low && !high) return x == monoid::prod ? "1" : "0";
  if (compute == dtype::int64) return low ? "-9223372036854775808" : "9223372036854775807";
  return low ? "float(\"-inf\")" : "float(\"inf\")";
}

}  // namespace

kernel_pointer nest_fields::pointer(const std::string& what, std::uint32_t slot, bool place) {
  auto name = what + std::to_string(slot);
  auto [found, made] = places_.emplace(name, static_cast<std::uint32_t>(bytes_.size()));
  if (made) bytes_.push_back(static_cast<std::uint64_t>(8 * std::max<std::int64_t>(count(what), 1)));
  auto type = place ? dtype::int64 : tiles_.nest.compute;
  return {name, pointer_of(type), {messages::buffer_kind::scratch, found->second, 0}};
}

std::int64_t nest_fields::count(const std::string& what) const {
  return what == "finals" ? final_units_ : what == "parts" ? tiles_.kept * tiles_.parts : tiles_.kept;
}

template_data nest_kernel::reduction(const nest_reduction& x, const std::string& value, extent how,
                                     const std::string& label) {
  template_data one;
  one.set("slot", std::to_string(x.slot));
  one.set("second", std::to_string(x.slot + 1));
  one.set("value", as_block(value, nest_.compute));
  one.set("start", start_of(x.kind, nest_.compute));
  one.set("combine", combine_of(x.kind));
  one.set("type", compute_type(nest_.compute));
  one.set("moments", x.kind == monoid::moments);
  one.set("placed", x.position.has_value());
  one.set("simple", !x.position && x.kind != monoid::moments);
  if (x.position) one.set("place", code_.position(*x.position, how, label));
  return one;
}

template_data nest_kernel::reductions(const nest_stage& stage, const printed& text, extent how,
                                      const std::string& label) {
  auto all = template_list();
  for (const auto& x : stage.reductions) all << reduction(x, text.results[x.body], how, label);
  return all;
}

template_data nest_kernel::reductions(const nest_stage& stage) {
  auto all = template_list();
  for (const auto& x : stage.reductions) all << reduction(x, "", extent::one, "");
  return all;
}

template_data nest_kernel::stage(std::size_t index, const std::string& begin, const std::string& end,
                                 const std::string& total) {
  const auto& x = nest_.stages[index];
  auto label = tiles_.whole ? std::string{} : "_" + std::to_string(index);
  const char* indent = tiles_.whole ? "    " : "        ";
  template_data inner;
  inner.set("loads", code_.tile_loads(x.bodies, label, indent));
  auto text = code_.text_of(x.bodies, extent::tile, "b" + std::to_string(index) + "_", label, indent);
  inner.set("lines", text.lines);
  inner.set("label", label);
  inner.set("begin", begin);
  inner.set("end", end);
  inner.set("total", total);
  inner.set("reductions", reductions(x, text, extent::tile, label));
  template_data data;
  data.set("stage", std::to_string(index));
  data.set(tiles_.whole ? "whole" : "loop", inner);
  for (const auto& one : x.reductions) note_made(one);
  return data;
}

template_data nest_kernel::join(std::size_t index, std::int64_t pieces) {
  const auto& x = nest_.stages[index];
  template_data inner;
  inner.set("reductions", reductions(x));
  inner.set("pieces", std::to_string(pieces));
  inner.set("parts", std::to_string(tiles_.parts));
  inner.set("length", std::to_string(tiles_.length));
  template_data data;
  data.set("stage", std::to_string(index));
  data.set("join", inner);
  for (const auto& one : x.reductions) use_fields("parts", one);
  for (const auto& one : x.reductions) note_made(one);
  return data;
}

void nest_kernel::add_derived(template_data& data, std::size_t index) {
  const auto& x = nest_.stages[index];
  if (x.derived.results.empty()) return;
  auto text = code_.text_of(x.derived, extent::rows, "d" + std::to_string(index) + "_", "", "    ");
  auto results = template_list();
  for (std::size_t i = 0; i < text.results.size(); ++i) {
    template_data one;
    auto slot = x.first_derived + static_cast<std::uint32_t>(i);
    one.set("slot", std::to_string(slot));
    one.set("value", as_block(text.results[i], nest_.compute));
    results << one;
    made_.insert(slot);
  }
  template_data derived;
  derived.set("lines", text.lines);
  derived.set("results", results);
  data.set("derived", derived);
}

std::vector<std::uint32_t> nest_kernel::slots_filled(std::size_t index) const {
  const auto& x = nest_.stages[index];
  std::vector<std::uint32_t> all;
  for (const auto& one : x.reductions)
    for (std::uint32_t i = 0; i < slots_of(one.kind); ++i) all.push_back(one.slot + i);
  for (std::uint32_t i = 0; i < x.derived.results.size(); ++i) all.push_back(x.first_derived + i);
  return all;
}

void nest_kernel::store(template_data& data, const char* what, const std::string& place,
                        const std::vector<std::uint32_t>& slots) {
  auto all = template_list();
  for (auto slot : slots) {
    template_data one;
    one.set("field", what + std::to_string(slot));
    one.set("place", place);
    one.set("slot", std::to_string(slot));
    all << one;
    use_field(what, slot);
  }
  data.set("stores", all);
}

template_data nest_kernel::writes(const nest_results& results, std::size_t first, const printed& text, extent how,
                                  const std::string& label) {
  auto all = template_list();
  for (std::size_t i = 0; i < results.targets.size(); ++i) {
    const auto& spec = results.targets[i].spec;
    template_data one;
    one.set("what", results.targets[i].name);
    one.set("target", code_.target(first + i, how, label));
    one.set("value", code_.value_to_store(results.values, i, text, how, spec.dtype));
    all << one;
  }
  return all;
}

void nest_kernel::add_keep(template_data& data) {
  if (nest_.each_kept.targets.empty()) return;
  auto text = code_.text_of(nest_.each_kept.values, extent::rows, "k", "", "    ");
  template_data keep;
  keep.set("lines", text.lines);
  keep.set("writes", writes(nest_.each_kept, 0, text, extent::rows, ""));
  data.set("keep", keep);
}

void nest_kernel::add_apply(template_data& data, bool looped) {
  const auto& x = nest_.each_element;
  if (x.targets.empty()) return;
  std::string label = looped ? "_e" : "";
  const char* indent = looped ? "        " : "    ";
  template_data apply;
  apply.set("loads", code_.tile_loads(x.values, label, indent));
  auto text = code_.text_of(x.values, extent::tile, "e", label, indent);
  apply.set("lines", text.lines);
  apply.set("label", label);
  apply.set("writes", writes(x, nest_.each_kept.targets.size(), text, extent::tile, label));
  data.set(looped ? "apply_loop" : "apply", apply);
}

void nest_kernel::add_finals(template_data& data) {
  if (!nest_.last) return;
  auto text = code_.text_of(nest_.last->bodies, extent::rows, "f", "", "    ");
  template_data finals;
  finals.set("lines", text.lines);
  finals.set("reductions", reductions(*nest_.last, text, extent::rows, ""));
  data.set("finals", finals);
  for (const auto& x : nest_.last->reductions) use_fields("finals", x);
}

void nest_kernel::add_last(template_data& data, std::int64_t units) {
  for (const auto& x : nest_.last->reductions) use_fields("finals", x);
  for (const auto& x : nest_.last->reductions) note_made(x);
  auto text = code_.text_of(nest_.once.values, extent::one, "o", "", "    ");
  auto first = nest_.each_kept.targets.size() + nest_.each_element.targets.size();
  template_data last;
  last.set("units", std::to_string(units));
  last.set("reductions", reductions(*nest_.last));
  last.set("loads", code_.row_loads());
  last.set("lines", text.lines);
  last.set("writes", writes(nest_.once, first, text, extent::one, ""));
  data.set("last", last);
}

template_data nest_kernel::finish(template_data data, const shape& of, const std::string& summary) {
  data.set("summary", summary);
  data.set("kept", std::to_string(tiles_.kept));
  data.set("reduced", std::to_string(tiles_.reduced));
  data.set("wide", tiles_.wide_index);
  data.set("programs_a_unit", std::to_string(of.programs_a_unit));
  data.set("parted", of.programs_a_unit > 1);
  data.set("length", std::to_string(tiles_.length));
  data.set("tile", of.tile);
  data.set("slots", handed_slots());
  data.set("row_loads", code_.row_loads());
  if (of.rows > 0) kernel_.constants.emplace_back("ROWS", of.rows);
  kernel_.constants.emplace_back("BLOCK", of.block);
  kernel_.programs = of.programs;
  kernel_.warps = of.warps;
  kernel_.pointers = code_.pointers();
  for (const auto& [name, pointer] : scratch_) kernel_.pointers.push_back(pointer);
  data.set("function", kernel_.name);
  data.set("entry", kernel_.entry());
  data.set("parameters", kernel_.parameters());
  return data;
}

void nest_kernel::use_field(const std::string& what, std::uint32_t slot) {
  scratch_.emplace(what + std::to_string(slot), fields_.pointer(what, slot, code_.is_place(slot)));
}

void nest_kernel::use_fields(const std::string& what, const nest_reduction& x) {
  for (std::uint32_t i = 0; i < slots_of(x.kind); ++i) use_field(what, x.slot + i);
}

void nest_kernel::note_made(const nest_reduction& x) {
  for (std::uint32_t i = 0; i < slots_of(x.kind); ++i) made_.insert(x.slot + i);
}

template_data nest_kernel::handed_slots() {
  auto all = template_list();
  for (auto slot : code_.used_slots()) {
    if (made_.contains(slot)) continue;
    template_data one;
    one.set("slot", std::to_string(slot));
    all << one;
    use_field("slots", slot);
  }
  return all;
}

}  // namespace dsl::triton
