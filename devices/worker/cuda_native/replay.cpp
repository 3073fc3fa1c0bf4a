#include "devices/worker/cuda_native/replay.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace devices::worker::cuda {

namespace {

constexpr unsigned char poison = 0xff;
constexpr std::uint32_t portable_cluster = 8;
constexpr std::uint32_t shared_without_opting_in = 48u << 10;

std::array<unsigned, 3> sides_of(const messages::launch_extent& x) { return {x.x, x.y, x.z}; }

std::string operation_name(std::size_t i) { return "operation " + std::to_string(i); }

launch_attribute attribute(int id, std::array<unsigned, 3> value) {
  launch_attribute x{.id = id};
  std::copy(value.begin(), value.end(), x.value.begin());
  return x;
}

}  // namespace

// -- loading ----------------------------------------------------------------------------------------------------------

class replay_builder {
public:
  replay_builder(const gpu& on, const messages::launch_record& record, const lent_addresses& lent)
      : gpu_(on), driver_(on.driver()), record_(record), lent_(lent), offsets_(scratch_offsets(record)), built_(on) {}

  expected<replay> build(const std::vector<cubin>& images) {
    auto scratch = gpu_.allocate(offsets_.back(), "scratch");
    if (!scratch) return failed(scratch.error());
    built_.scratch_ = *scratch;
    built_.scratch_bytes_ = offsets_.back();
    for (const auto& image : record_.images)
      if (auto ok = load_module(image); !ok) return failed(ok.error());
    for (std::size_t i = 0; i < images.size(); ++i)
      if (auto ok = keep_variables(i, images[i]); !ok) return failed("image " + std::to_string(i) + ": " + ok.error());
    for (std::size_t i = 0; i < record_.operations.size(); ++i) {
      auto ok = std::visit([&](const auto& x) { return bind(x); }, record_.operations[i]);
      if (!ok) return failed(operation_name(i) + ": " + ok.error());
    }
    if (auto ok = gpu_.finish("the launch record can't be loaded"); !ok) return failed(ok.error());
    return std::move(built_);
  }

private:
  expected<void> load_module(const messages::launch_image& image) {
    auto number = std::to_string(modules_.size());
    return driver_.checked(driver_.cuModuleLoadData(&modules_.emplace_back(), image.content.data()),
                           "image " + number + " can't be loaded");
  }

  /// Kept as they are before anything ran.
  expected<void> keep_variables(std::size_t image, const cubin& known) {
    for (const auto& x : known.variables()) {
      replay::variable one{.bytes = x.bytes};
      std::size_t bytes = 0;
      std::string name{x.name};
      auto what = "variable " + name + " can't be found";
      if (auto ok = driver_.checked(driver_.cuModuleGetGlobal(&one.at, &bytes, modules_[image], name.c_str()), what);
          !ok)
        return ok;
      if (bytes != x.bytes) return failed("variable " + name + " has another size than its symbol says");
      auto kept = gpu_.allocate(bytes, "variables");
      if (!kept) return failed(kept.error());
      one.kept = *kept;
      if (auto ok = driver_.checked(driver_.cuMemcpyDtoDAsync(one.kept, one.at, bytes, gpu_.stream()), what); !ok)
        return ok;
      built_.variables_.push_back(one);
    }
    return {};
  }

  device_address address_of(const messages::buffer_place& x) const {
    switch (x.buffer) {
      case messages::buffer_kind::argument: return lent_.arguments[x.index] + x.offset;
      case messages::buffer_kind::output: return lent_.outputs[x.index] + x.offset;
      case messages::buffer_kind::scratch: break;
    }
    return built_.scratch_ + offsets_[x.index] + x.offset;
  }

  expected<void> bind(const messages::memory_fill& x) {
    built_.operations_.emplace_back(replay::fill{address_of(x.place), x.bytes, x.value});
    return {};
  }

  expected<void> bind(const messages::memory_copy& x) {
    built_.operations_.emplace_back(replay::copy{address_of(x.from), address_of(x.to), x.bytes});
    return {};
  }

  expected<void> bind(const messages::kernel_launch& x) {
    replay::launch one{.name = x.kernel};
    auto what = "kernel " + x.kernel + " can't be found";
    if (auto ok = driver_.checked(driver_.cuModuleGetFunction(&one.kernel, modules_[x.image], x.kernel.c_str()), what);
        !ok)
      return ok;
    if (auto ok = check_layout(one.kernel, x); !ok) return ok;
    if (auto ok = allow(one.kernel, x); !ok) return ok;
    for (const auto& parameter : x.parameters) one.values.push_back(patched(parameter));
    for (auto& value : one.values) one.parameters.push_back(value.data());
    auto blocks = x.cluster.x * x.cluster.y * x.cluster.z;
    if (blocks > 1) one.attributes.push_back(attribute(launch_attribute::cluster_dimension, sides_of(x.cluster)));
    if (x.cooperative) one.attributes.push_back(attribute(launch_attribute::is_cooperative, {1, 0, 0}));
    one.config = {.grid = sides_of(x.grid),
                  .block = sides_of(x.block),
                  .shared_bytes = x.shared_bytes,
                  .stream = gpu_.stream(),
                  .attributes = one.attributes.data(),
                  .attribute_count = static_cast<unsigned>(one.attributes.size())};
    built_.operations_.emplace_back(std::move(one));
    return {};
  }

  /// The driver's own word on the parameters: it reads so many bytes of each.
  expected<void> check_layout(function kernel, const messages::kernel_launch& x) const {
    std::size_t offset = 0, bytes = 0, count = 0;
    for (; driver_.cuFuncGetParamInfo(kernel, count, &offset, &bytes) == 0; ++count)
      if (count >= x.parameters.size() || bytes != x.parameters[count].value.size())
        return failed("the driver knows other parameters of kernel " + x.kernel);
    if (count != x.parameters.size()) return failed("the driver knows other parameters of kernel " + x.kernel);
    return {};
  }

  /// What a kernel must opt in to. More shared memory for one launch never takes it from another.
  expected<void> allow(function kernel, const messages::kernel_launch& x) {
    auto& shared = shared_[kernel];
    if (x.shared_bytes > std::max(shared, shared_without_opting_in)) {
      shared = x.shared_bytes;
      auto code = driver_.cuFuncSetAttribute(kernel, most_dynamic_shared_bytes, static_cast<int>(shared));
      if (auto ok = driver_.checked(code, "kernel " + x.kernel + " can't have its shared memory"); !ok) return ok;
    }
    if (x.cluster.x * x.cluster.y * x.cluster.z <= portable_cluster) return {};
    return driver_.checked(driver_.cuFuncSetAttribute(kernel, large_clusters_allowed, 1),
                           "kernel " + x.kernel + " can't have its clusters");
  }

  wire::bytes patched(const messages::kernel_parameter& x) const {
    auto value = x.value;
    for (const auto& patch : x.pointers) {
      auto address = address_of(patch.place);
      std::memcpy(value.data() + patch.at, &address, sizeof(address));
    }
    return value;
  }

  const gpu& gpu_;
  const cuda::driver& driver_;
  const messages::launch_record& record_;
  const lent_addresses& lent_;
  std::vector<std::uint64_t> offsets_;
  std::vector<module> modules_;
  std::map<function, std::uint32_t> shared_;
  replay built_;
};

expected<replay> replay::load(const gpu& on, const messages::launch_record& record, const std::vector<cubin>& images,
                              const lent_addresses& lent) {
  return replay_builder{on, record, lent}.build(images);
}

// -- carrying out -----------------------------------------------------------------------------------------------------

expected<void> replay::prepare() const {
  const auto& d = gpu_->driver();
  if (auto ok = d.checked(ask(fill{scratch_, scratch_bytes_, poison}), "scratch can't be filled"); !ok) return ok;
  for (const auto& x : variables_)
    if (auto ok = d.checked(ask(copy{x.kept, x.at, x.bytes}), "a variable can't be put back"); !ok) return ok;
  return {};
}

expected<void> replay::run() const {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    auto code = std::visit([&](const auto& x) { return ask(x); }, operations_[i]);
    if (code == 0) continue;
    auto kernel = std::get_if<launch>(&operations_[i]);
    return gpu_->driver().checked(code, operation_name(i) + (kernel ? ", launch of " + kernel->name : ""));
  }
  return {};
}

result replay::ask(const launch& x) const {
  return gpu_->driver().cuLaunchKernelEx(&x.config, x.kernel, const_cast<void**>(x.parameters.data()), nullptr);
}

result replay::ask(const fill& x) const {
  return x.bytes == 0 ? 0 : gpu_->driver().cuMemsetD8Async(x.at, x.value, x.bytes, gpu_->stream());
}

result replay::ask(const copy& x) const {
  return x.bytes == 0 ? 0 : gpu_->driver().cuMemcpyDtoDAsync(x.to, x.from, x.bytes, gpu_->stream());
}

}  // namespace devices::worker::cuda
