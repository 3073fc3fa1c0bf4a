#include "dsl/export_data.hpp"

#include "dsl/python_text.hpp"
#include "dsl/text.hpp"

namespace dsl {

namespace {

using messages::fail;
using messages::failure_code;

template <class Enum>
std::string name_of(Enum x) {
  static constexpr auto names = enum_names(Enum{});
  return std::string{names[static_cast<std::size_t>(x)]};
}

template_data spec_data(const messages::tensor_spec& x) {
  template_data data;
  data.set("dtype", name_of(x.dtype));
  data.set("shape", python_tuple(x.shape));
  data.set("strides", python_tuple(x.strides));
  return data;
}

template_data arguments_data(const messages::shape_variant& variant) {
  auto all = template_list();
  for (const auto& x : variant.arguments) {
    auto one = spec_data(x.spec);
    one.set("origin", name_of(x.origin));
    one.set("index", std::to_string(x.index));
    one.set("path", python_text(x.path));
    all << one;
  }
  return all;
}

template_data outputs_data(const messages::shape_variant& variant) {
  auto all = template_list();
  for (const auto& x : variant.outputs) all << spec_data(x);
  return all;
}

messages::expected<template_data> sources_data(const export_order& order, std::string_view left_out) {
  auto all = template_list();
  for (const auto& source : order.manifest.sources) {
    if (source.path == left_out) continue;
    auto text = order.sources.find(source.path);
    if (text == order.sources.end()) return fail(failure_code::bad_input, "export: no text of " + source.path);
    template_data one;
    one.set("path", python_text(source.path));
    one.set("text", python_text(text->second));
    all << one;
  }
  return all;
}

std::string flags_text(const std::vector<std::string>& flags) {
  std::string text;
  for (const auto& x : flags) text += (text.empty() ? "" : ", ") + python_text(x);
  return text;
}

std::string overrides_text(const messages::task& task) {
  std::string text;
  for (const auto& [name, value] : task.overrides)
    text += (text.empty() ? "" : ", ") + python_text(name) + ": " + std::to_string(value);
  return '{' + text + '}';
}

/// What makes it a drop-in for the task's Model.
void add_reference(template_data& data, const messages::task& task) {
  data.set("reference", true);
  data.set("code", python_text(task.code));
  data.set("overrides", overrides_text(task));
}

}  // namespace

messages::expected<template_data> export_data(const language_files& files, const export_order& order,
                                              std::string_view left_out) {
  auto sources = sources_data(order, left_out);
  if (!sources) return sources;
  template_data data;
  if (order.reference) add_reference(data, *order.reference);
  data.set("class", std::string{order.reference ? inner_class : written_class});
  data.set("task", harmless(order.task));
  data.set("extension", python_text('.' + files.manifest.extension));
  data.set("flags", flags_text(files.manifest.flags));
  data.set("sources", *sources);
  add_partials(data, files.partials);
  return data;
}

messages::expected<void> add_variants(template_data& data, const std::vector<messages::shape_variant>& variants) {
  auto all = template_list();
  for (const auto& variant : variants) {
    for (const auto& x : variant.arguments)
      if (x.origin == messages::value_origin::constant)
        return fail(failure_code::bad_input, "export: a constant tensor is an argument");
    template_data one;
    one.set("function", python_text(variant.function));
    one.set("arguments", arguments_data(variant));
    one.set("outputs", outputs_data(variant));
    all << one;
  }
  data.set("variants", all);
  return {};
}

}  // namespace dsl
