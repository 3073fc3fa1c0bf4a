#include "devices/worker/native/order.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "messages/wire/wire.hpp"

namespace devices::worker::native {

namespace {

using status = expected<void>;

// -- tensors ----------------------------------------------------------------------------------------------------------

status check_shape(const messages::tensor_spec& spec) {
  constexpr std::int64_t limit = 1LL << 48;
  if (spec.shape.size() > most_dimensions) return failed("has " + std::to_string(spec.shape.size()) + " dimensions");
  if (spec.shape.size() != spec.strides.size()) return failed("has other dimensions than strides");
  for (const auto* numbers : {&spec.shape, &spec.strides})
    for (auto x : *numbers)
      if (x < 0 || x >= limit) return failed("has a size or stride of " + std::to_string(x));
  return {};
}

status check_place(const lent_tensor& x, std::uint64_t buffer_bytes) {
  if (messages::is_complex(x.spec.dtype)) return failed("is complex, which the function's interface knows nothing of");
  auto bytes = extent_bytes(x.spec);
  if (!bytes) return failed(bytes.error());
  if (x.offset % messages::bytes_of(x.spec.dtype) != 0) return failed("is not aligned");
  if (x.offset > buffer_bytes || *bytes > buffer_bytes - x.offset) return failed("ends outside of its lent buffer");
  return {};
}

// -- the whole --------------------------------------------------------------------------------------------------------

status check_program(const order& x) {
  if (x.cores < 1) return failed("the order has " + std::to_string(x.cores) + " cores");
  auto entry = std::get_if<messages::c_abi_entry>(&x.entry);
  if (!entry) return failed("only programs with a c_abi entry run here");
  if (entry->abi != 1) return failed("the function is of version " + std::to_string(entry->abi) + ", not 1");
  if (!x.artifact.empty() && !x.artifact.starts_with('/'))
    return failed("the order names no library by an absolute path");
  return {};
}

status check(const order& x) {
  if (auto ok = check_program(x); !ok) return ok;
  if (x.lent.size() != buffer_count) return failed("the order lends " + std::to_string(x.lent.size()) + " buffers");
  for (const auto& variant : x.variants) {
    if (variant.function.empty()) return failed("the order names no function");
    if (auto ok = check_tensors(variant.arguments, "argument", inputs_buffer, weights_buffer, x.lent); !ok) return ok;
    if (auto ok = check_tensors(variant.outputs, "output", outputs_buffer, outputs_buffer, x.lent); !ok) return ok;
  }
  return {};
}

/// What was said of a task with one shape.
void fill_variants(order& x) {
  auto entry = std::get_if<messages::c_abi_entry>(&x.entry);
  if (!entry || !x.variants.empty()) return;
  x.variants.push_back({entry->function, std::move(x.arguments), std::move(x.outputs)});
}

expected<wire::bytes> read_all(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return failed(std::string{"there is no order: "} + std::strerror(errno));
  auto limit = static_cast<off_t>(wire::limits{}.message_bytes);
  if (about.st_size > limit) return failed("the order has " + std::to_string(about.st_size) + " bytes");
  wire::bytes content(static_cast<std::size_t>(about.st_size));
  for (std::size_t done = 0; done < content.size();) {
    auto got = pread(descriptor, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (got <= 0) return failed("the order can't be read to its end");
    done += static_cast<std::size_t>(got);
  }
  return content;
}

}  // namespace

expected<std::uint64_t> extent_bytes(const messages::tensor_spec& spec) {
  if (auto ok = check_shape(spec); !ok) return failed(ok.error());
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    if (spec.shape[i] == 0) return 0;
    std::uint64_t step = 0;
    if (__builtin_mul_overflow(spec.shape[i] - 1, spec.strides[i], &step) || __builtin_add_overflow(last, step, &last))
      return failed("is beyond counting");
  }
  std::uint64_t bytes = 0;
  if (last == UINT64_MAX || __builtin_mul_overflow(last + 1, messages::bytes_of(spec.dtype), &bytes))
    return failed("is beyond counting");
  return bytes;
}

expected<void> check_tensors(const std::vector<lent_tensor>& tensors, const char* name, std::uint32_t first,
                             std::uint32_t last, const std::vector<std::uint64_t>& lent) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& x = tensors[i];
    auto here = "the order's " + std::string{name} + ' ' + std::to_string(i) + ' ';
    if (x.lent < first || x.lent > last) return failed(here + "is not in a buffer for it");
    if (auto ok = check_place(x, lent[x.lent]); !ok) return failed(here + ok.error());
  }
  return {};
}

expected<order> parse_order(wire::bytes_view message) {
  auto x = wire::unpack<order>(message);
  if (!x) return failed("the order can't be read: " + wire::to_string(x.error()));
  fill_variants(*x);
  if (auto ok = check(*x); !ok) return failed(ok.error());
  return *std::move(x);
}

expected<wire::bytes> read_order_content(int descriptor) {
  auto content = read_all(descriptor);
  close(descriptor);
  return content;
}

expected<order> read_order(int descriptor) {
  auto content = read_order_content(descriptor);
  if (!content) return failed(content.error());
  return parse_order(*content);
}

}  // namespace devices::worker::native
