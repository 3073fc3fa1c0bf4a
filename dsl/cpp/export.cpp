#include "dsl/cpp/export.hpp"

#include "dsl/cpp/text.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

namespace {

using messages::fail;
using messages::failure_code;

/// A Python string literal of any text: raw and readable where that is possible.
std::string python_text(std::string_view x) {
  bool plain =
      x.ends_with('\n') && x.find("\"\"\"") == std::string_view::npos && x.find('\r') == std::string_view::npos;
  if (plain) return "r\"\"\"" + std::string{x} + "\"\"\"";
  std::string text = "\"";
  for (char c : x) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string{c};
  }
  return text + '"';
}

std::string python_tuple(const std::vector<std::int64_t>& xs) {
  std::string text;
  for (auto x : xs) text += std::to_string(x) + ", ";
  if (xs.size() > 1) text.resize(text.size() - 2);
  if (xs.size() == 1) text.resize(text.size() - 1);
  return '(' + text + ')';
}

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

template_data arguments_data(const messages::candidate_manifest& manifest) {
  auto all = template_list();
  for (const auto& x : manifest.arguments) {
    auto one = spec_data(x.spec);
    one.set("origin", name_of(x.origin));
    one.set("index", std::to_string(x.index));
    one.set("path", python_text(x.path));
    all << one;
  }
  return all;
}

template_data outputs_data(const messages::candidate_manifest& manifest) {
  auto all = template_list();
  for (const auto& x : manifest.outputs) all << spec_data(x);
  return all;
}

messages::expected<template_data> sources_data(const export_order& order) {
  auto all = template_list();
  for (const auto& source : order.manifest.sources) {
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

}  // namespace

messages::expected<std::string> export_file(const language_files& files, const export_order& order) {
  const auto* entry = std::get_if<messages::c_abi_entry>(&order.manifest.entry);
  if (entry == nullptr) return fail(failure_code::bad_input, "export: the candidate is no library with a C function");
  for (const auto& x : order.manifest.arguments) {
    if (x.origin == messages::value_origin::constant)
      return fail(failure_code::bad_input, "export: a constant tensor is an argument");
  }
  auto sources = sources_data(order);
  if (!sources) return tl::unexpected{sources.error()};
  template_data data;
  data.set("task", harmless(order.task));
  data.set("function", python_text(entry->function));
  data.set("extension", python_text('.' + files.manifest.extension));
  data.set("flags", flags_text(files.manifest.flags));
  data.set("arguments", arguments_data(order.manifest));
  data.set("outputs", outputs_data(order.manifest));
  data.set("sources", *sources);
  return render(files.export_template, data, (files.folder / files.manifest.exporter).string());
}

}  // namespace dsl::cpp
