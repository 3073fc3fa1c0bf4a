#include "devices/simulated/simulated_device.hpp"

#include "devices/profile_rules.hpp"
#include "devices/simulated/simulated_executor.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/task.hpp"

namespace devices::simulated {

using messages::failure;
using messages::failure_code;
using messages::failure_kind;
using messages::failure_stage;
using messages::stage_kind;
using messages::stage_outcome;

namespace {

constexpr std::int64_t side = 1024;
constexpr double copy_bytes_per_second = 20e9;
constexpr double tolerance = 1e-4;
constexpr double noise = 0.01;

messages::op_graph relu_graph(const std::string& task) {
  messages::tensor_spec square{.dtype = messages::dtype::float32, .shape = {side, side}, .strides = {side, 1}};
  messages::graph_value x{.name = "x", .origin = messages::value_origin::input, .spec = square};
  messages::graph_node relu{.name = "relu",
                            .op = "aten.relu",
                            .arguments = {{"self", messages::value_argument{"x"}}},
                            .output = square,
                            .flops = side * side};
  return {.task = task,
          .values = {x},
          .nodes = {relu},
          .outputs = {"relu"},
          .floor_bytes = 2 * side * side * bytes_of(square.dtype),
          .flops = side * side};
}

messages::device_info info_of(const messages::device_name& name) {
  return {.name = name,
          .kind = "simulated",
          .model = "simulated device",
          .arch = "simulated",
          .memory_bytes = 16ull << 30,
          .copy_bytes_per_second = copy_bytes_per_second,
          .limits = {{"cores", 8}, {"vector_bytes", 32}},
          .environment = {.device_model = "simulated device"}};
}

stage_outcome reject(failure_stage stage, failure_kind kind, std::string message) {
  return messages::verdict{messages::rejected{{.stage = stage, .kind = kind, .message = std::move(message)}, {}, {}}};
}

stage_outcome crash(failure_stage stage) {
  return reject(stage, failure_kind::crash, "The candidate died of signal 11, as simulated.");
}

messages::distribution around(double ms) { return {ms, ms * (1 - noise / 2), ms * (1 + noise / 2), 100}; }

class device_craft {
public:
  device_craft(const blobs::blob_store& store, const simulated_device_options& options)
      : store_(store), options_(options), world_(options.world) {}

  stage_outcome operator()(const messages::stage_request& request) const {
    switch (request.kind) {
      case stage_kind::trace: return trace(request);
      case stage_kind::verify: return verify(request);
      case stage_kind::time: return time(request);
      case stage_kind::profile: return profile(request);
      default: return failure{failure_code::no_resource, options_.name.value + " takes no such stage"};
    }
  }

private:
  stage_outcome trace(const messages::stage_request& request) const {
    messages::task task;
    if (request.task != messages::blob_hash{}) {
      auto found = store_.get_record<messages::task>(request.task);
      if (!found) return found.error();
      task = *std::move(found);
    }
    auto graph = store_.put_record(relu_graph(task.name));
    if (!graph) return graph.error();
    return messages::verdict{messages::traced{*graph, info_of(options_.name)}};
  }

  stage_outcome verify(const messages::stage_request& request) const {
    if (world_.crashes(request.candidate)) return crash(failure_stage::verify);
    if (world_.has_wrong_values(request.candidate))
      return reject(failure_stage::verify, failure_kind::wrong_values, "Output 0 differs at [0, 0], as simulated.");
    return messages::verdict{messages::verified{
        {.policy = request.judge.policy, .environment = info_of(options_.name).environment}, {.tolerance = tolerance}}};
  }

  messages::expected<double> milliseconds_of(const messages::stage_request& request) const {
    messages::candidate_manifest manifest;
    if (request.manifest != messages::blob_hash{}) {
      auto found = store_.get_record<messages::candidate_manifest>(request.manifest);
      if (!found) return tl::unexpected{found.error()};
      manifest = *std::move(found);
    }
    return world_.candidate_ms(request.candidate, manifest.knobs);
  }

  stage_outcome time(const messages::stage_request& request) const {
    if (world_.crashes(request.candidate)) return crash(failure_stage::time);
    auto found = milliseconds_of(request);
    if (!found) return found.error();
    auto ms = *found;
    auto speedup = world_.eager_ms() / ms;
    auto floor_ms = static_cast<double>(relu_graph({}).floor_bytes) / copy_bytes_per_second * 1e3;
    return messages::verdict{messages::timed{{.candidate_ms = around(ms),
                                              .eager_ms = around(world_.eager_ms()),
                                              .speedup_eager = {speedup, speedup * (1 - noise), speedup * (1 + noise)},
                                              .roofline_share = floor_ms / ms,
                                              .aa_noise = noise}}};
  }

  stage_outcome profile(const messages::stage_request& request) const {
    auto ms = milliseconds_of(request);
    if (!ms) return ms.error();
    auto graph = relu_graph({});
    messages::profile_figures figures{.missing = {"a simulated device has no counters"}, .call_ns = *ms * 1e6};
    return messages::verdict{conclude(figures, {.floor_bytes = static_cast<double>(graph.floor_bytes),
                                                .flops = static_cast<double>(graph.flops),
                                                .copy_bytes_per_second = copy_bytes_per_second})};
  }

  blobs::blob_store store_;
  simulated_device_options options_;
  simulation world_;
};

}  // namespace

messages::expected<std::unique_ptr<executor>> make_simulated_device(const blobs::blob_store& store, timer& time,
                                                                    const simulated_device_options& options) {
  if (auto valid = options.validate(); !valid) return tl::unexpected{valid.error()};
  return std::make_unique<simulated_executor>(options.world, options.name.value, "", time,
                                              device_craft{store, options});
}

}  // namespace devices::simulated
