#include "dsl/cpp/export.hpp"

#include "dsl/cpp/hosted_program.hpp"
#include "dsl/export_data.hpp"

namespace dsl::cpp {

namespace {

using messages::fail;
using messages::failure_code;

/// The only one of a candidate for one shape.
std::vector<messages::shape_variant> variants_of(const messages::candidate_manifest& manifest,
                                                 const messages::c_abi_entry& entry) {
  if (!manifest.variants.empty()) return manifest.variants;
  return {{entry.function, manifest.arguments, manifest.outputs}};
}

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
    return add_variants(data, variants_of(order.manifest, *function));
  if (const auto* host = std::get_if<messages::python_host_entry>(&entry)) return add_model(data, order, host->file);
  return fail(failure_code::bad_input, "export: the candidate is no library with C functions");
}

}  // namespace

messages::expected<std::string> export_file(const language_files& files, const export_order& order) {
  const auto* host = std::get_if<messages::python_host_entry>(&order.manifest.entry);
  auto data = export_data(files, order, host ? std::string_view{host->file} : std::string_view{});
  if (!data) return tl::unexpected{data.error()};
  data->set("device_type", "cpu");
  if (auto ok = add_entry(*data, order); !ok) return tl::unexpected{ok.error()};
  return render(files.export_template, *data, (files.folder / files.manifest.exporter).string());
}

}  // namespace dsl::cpp
