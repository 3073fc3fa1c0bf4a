#include "devices/worker/cuda_native/device_order.hpp"

#include <fstream>

#include "messages/wire/wire.hpp"

namespace devices::worker::cuda {

namespace {

using native::lent_tensor;

expected<void> check_program(const device_order& x) {
  if (!std::get_if<messages::launch_record_entry>(&x.entry))
    return failed("only programs with a launch_record entry run here");
  if (!x.artifact.empty() && !x.artifact.starts_with('/'))
    return failed("the order names no launch record by an absolute path");
  if (!x.place.starts_with("cuda:")) return failed("the order names no CUDA device");
  return {};
}

expected<void> check_handles(const device_order& x) {
  if (x.lent.size() != native::buffer_count || x.handles.size() != x.lent.size())
    return failed("the order lends " + std::to_string(x.lent.size()) + " buffers with "
                  + std::to_string(x.handles.size()) + " handles");
  for (std::size_t i = 0; i < x.lent.size(); ++i)
    if (x.handles[i].size() != sizeof(ipc_handle) && (x.lent[i] != 0 || !x.handles[i].empty()))
      return failed("the order's handle " + std::to_string(i) + " has " + std::to_string(x.handles[i].size())
                    + " bytes");
  return {};
}

expected<void> check_alignment(const std::vector<lent_tensor>& tensors) {
  for (const auto& x : tensors)
    if (x.offset % tensor_alignment != 0) return failed("the order has a tensor at " + std::to_string(x.offset));
  return {};
}

expected<void> check_order(const device_order& x) {
  if (auto ok = check_program(x); !ok || x.artifact.empty()) return ok;
  if (auto ok = check_handles(x); !ok) return ok;
  using namespace native;
  if (auto ok = check_tensors(x.arguments, "argument", inputs_buffer, weights_buffer, x.lent); !ok) return ok;
  if (auto ok = check_tensors(x.outputs, "output", outputs_buffer, outputs_buffer, x.lent); !ok) return ok;
  if (auto ok = check_alignment(x.arguments); !ok) return ok;
  return check_alignment(x.outputs);
}

std::vector<std::uint64_t> extents_of(const std::vector<lent_tensor>& tensors) {
  std::vector<std::uint64_t> result;
  for (const auto& x : tensors) result.push_back(*native::extent_bytes(x.spec));
  return result;
}

}  // namespace

expected<device_order> parse_device_order(wire::bytes_view message) {
  auto x = wire::unpack<device_order>(message);
  if (!x) return failed("the order can't be read: " + wire::to_string(x.error()));
  if (auto ok = check_order(*x); !ok) return failed(ok.error());
  return *std::move(x);
}

lent_sizes sizes_of(const device_order& x) { return {extents_of(x.arguments), extents_of(x.outputs)}; }

expected<wire::bytes> read_artifact(const std::string& path) {
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  auto size = file ? static_cast<std::int64_t>(file.tellg()) : -1;
  if (size < 0) return failed("the launch record can't be opened");
  if (static_cast<std::uint64_t>(size) > most_record_bytes)
    return failed("the launch record has " + std::to_string(size) + " bytes");
  wire::bytes content(static_cast<std::size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(content.data()), size)) return failed("the launch record can't be read");
  return content;
}

}  // namespace devices::worker::cuda
