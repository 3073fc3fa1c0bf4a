#include "dsl/cuda_c/export.hpp"

#include "dsl/export_data.hpp"
#include "dsl/python_text.hpp"

namespace dsl::cuda_c {

messages::expected<std::string> export_file(const language_files& files, const export_order& order) {
  const auto* entry = std::get_if<messages::launch_record_entry>(&order.manifest.entry);
  if (!entry) return messages::fail(messages::failure_code::bad_input, "export: the candidate is no launch record");
  auto data = export_data(files, order);
  if (!data) return tl::unexpected{data.error()};
  messages::shape_variant only{{}, order.manifest.arguments, order.manifest.outputs};
  if (auto ok = add_variants(*data, {only}); !ok) return tl::unexpected{ok.error()};
  data->set("device_type", "cuda");
  data->set("strided", true);
  data->set("record", python_text(entry->record));
  for (const char* module : {"nvrtc", "cuda_driver", "launches"})
    data->set(module, python_module_body(files.partials.at(module)));
  return render(files.export_template, *data, (files.folder / files.manifest.exporter).string());
}

}  // namespace dsl::cuda_c
