#include "dsl/cpp/export.hpp"

#include "dsl/cpp/hosted_program.hpp"
#include "dsl/cpp/python_text.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

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

/// The only one of a candidate for one shape.
std::vector<messages::shape_variant> variants_of(const messages::candidate_manifest& manifest,
                                                 const messages::c_abi_entry& entry) {
  if (!manifest.variants.empty()) return manifest.variants;
  return {{entry.function, manifest.arguments, manifest.outputs}};
}

messages::expected<template_data> sources_data(const export_order& order) {
  auto all = template_list();
  const auto* host = std::get_if<messages::python_host_entry>(&order.manifest.entry);
  for (const auto& source : order.manifest.sources) {
    if (host != nullptr && source.path == host->file) continue;  // it stands in the export itself
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

/// What a library's C functions need.
messages::expected<void> add_functions(template_data& data, const messages::candidate_manifest& manifest,
                                       const messages::c_abi_entry& entry) {
  auto all = template_list();
  for (const auto& variant : variants_of(manifest, entry)) {
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

/// The class that the kernels are called from: `ModelNew` itself, where nothing stands in front of it.
constexpr std::string_view written_class = "class ModelNew(nn.Module):", inner_class = "class Kernels(nn.Module):";

messages::expected<void> add_model(template_data& data, const export_order& order, const std::string& file) {
  auto text = order.sources.find(file);
  if (text == order.sources.end()) return fail(failure_code::bad_input, "export: no text of " + file);
  auto model = model_text(text->second);
  if (!model) return tl::unexpected{model.error()};
  if (auto at = model->find(written_class); order.reference && at != std::string::npos)
    model->replace(at, written_class.size(), inner_class);
  data.set("model", *model);
  return {};
}

messages::expected<void> add_entry(template_data& data, const export_order& order) {
  const auto& entry = order.manifest.entry;
  if (const auto* function = std::get_if<messages::c_abi_entry>(&entry))
    return add_functions(data, order.manifest, *function);
  if (const auto* host = std::get_if<messages::python_host_entry>(&entry)) return add_model(data, order, host->file);
  return fail(failure_code::bad_input, "export: the candidate is no library with C functions");
}

}  // namespace

messages::expected<std::string> export_file(const language_files& files, const export_order& order) {
  auto sources = sources_data(order);
  if (!sources) return tl::unexpected{sources.error()};
  template_data data;
  if (auto ok = add_entry(data, order); !ok) return tl::unexpected{ok.error()};
  if (order.reference) add_reference(data, *order.reference);
  data.set("class", std::string{order.reference ? inner_class : written_class});
  data.set("task", harmless(order.task));
  data.set("extension", python_text('.' + files.manifest.extension));
  data.set("flags", flags_text(files.manifest.flags));
  data.set("sources", *sources);
  return render(files.export_template, data, (files.folder / files.manifest.exporter).string());
}

}  // namespace dsl::cpp
