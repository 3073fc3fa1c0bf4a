#include "dsl/triton/export.hpp"

#include "dsl/export_data.hpp"
#include "dsl/python_text.hpp"

namespace dsl::triton {

namespace {

using messages::fail;
using messages::failure_code;

/// Without the text that it begins with: an export has its own.
std::string without_title(const std::string& text) {
  constexpr std::string_view quotes = "\"\"\"";
  if (!text.starts_with(quotes)) return text;
  auto end = text.find(quotes, quotes.size());
  if (end == std::string::npos) return text;
  auto line = text.find_first_not_of('\n', end + quotes.size());
  return line == std::string::npos ? "" : text.substr(line);
}

/// The only source of kernels; a candidate with several files of them has names that may clash.
messages::expected<std::string> kernels_of(const language_files& files, const export_order& order,
                                           const std::string& record) {
  std::string kernels;
  for (const auto& source : order.manifest.sources) {
    if (source.path == record) continue;
    auto text = order.sources.find(source.path);
    if (text == order.sources.end()) return fail(failure_code::bad_input, "export: no text of " + source.path);
    if (!source.path.ends_with('.' + files.manifest.extension)) continue;
    if (!kernels.empty()) return fail(failure_code::bad_input, "export: the candidate's kernels lie in several files");
    kernels = without_title(text->second);
  }
  if (kernels.empty()) return fail(failure_code::bad_input, "export: the candidate has no kernels");
  return kernels;
}

}  // namespace

messages::expected<std::string> export_file(const language_files& files, const export_order& order) {
  const auto* entry = std::get_if<messages::launch_record_entry>(&order.manifest.entry);
  if (entry == nullptr) return fail(failure_code::bad_input, "export: the candidate is no launch record");
  auto record = order.sources.find(entry->record);
  if (record == order.sources.end()) return fail(failure_code::bad_input, "export: no text of " + entry->record);
  auto kernels = kernels_of(files, order, entry->record);
  if (!kernels) return kernels;
  auto data = export_data(files, order);
  if (!data) return tl::unexpected{data.error()};
  data->set("device_type", "cuda");
  data->set("strided", true);
  messages::shape_variant only{"kernels", order.manifest.arguments, order.manifest.outputs};
  if (auto ok = add_variants(*data, {std::move(only)}); !ok) return tl::unexpected{ok.error()};
  data->set("kernels", *kernels);
  data->set("descriptors", kernels->find("make_tensor_descriptor") != std::string::npos);
  data->set("record", python_text(record->second));
  return render(files.export_template, *data, (files.folder / files.manifest.exporter).string());
}

}  // namespace dsl::triton
