// kernelmesh-cuda-host: a candidate's process for programs that are a launch record. Nothing of the candidate runs on
// the host's side: the record is read, checked, and carried out by the CUDA driver.
//
// Arguments: none, or --profiled: a profiler of ours is loaded into this process, whose descriptors, processes and
// sockets are let be. Descriptor 3 is the socket to the judge, 4 the order; all others from 3 on are closed.
// PROTOCOL.md
// ("Judge and candidate", "The order", "Launch records on a GPU") says what is spoken. Exit code: 0, the judge closed
// its end; 1, after `raised`.

#include <unistd.h>
#include <optional>
#include <string_view>

#include "devices/worker/cuda_native/device_order.hpp"
#include "devices/worker/cuda_native/replay.hpp"
#include "devices/worker/native/confinement.hpp"
#include "devices/worker/native/packets.hpp"

namespace {

using namespace devices::worker::cuda;
using devices::worker::native::command, devices::worker::native::judge_socket, devices::worker::native::keep_busy;

constexpr int socket_descriptor = 3, order_descriptor = 4;

/// What is called again and again; without `work` the clock alone.
struct program {
  devices::worker::cuda::gpu gpu;
  std::optional<device_clock> clock;
  std::optional<replay> work;
};

// -- loading ----------------------------------------------------------------------------------------------------------

expected<lent_addresses> open_lent(const gpu& on, const device_order& order) {
  std::vector<device_address> buffers;
  for (std::size_t i = 0; i < order.lent.size(); ++i) {
    auto one = on.open_lent(order.handles[i], order.lent[i]);
    if (!one) return tl::unexpected{"lent buffer " + std::to_string(i) + ": " + one.error()};
    buffers.push_back(*one);
  }
  lent_addresses x;
  for (const auto& tensor : order.arguments) x.arguments.push_back(buffers[tensor.lent] + tensor.offset);
  for (const auto& tensor : order.outputs)
    x.outputs.push_back(buffers[devices::worker::native::outputs_buffer] + tensor.offset);
  return x;
}

expected<replay> load_record(const gpu& on, const device_order& order) {
  auto content = read_artifact(order.artifact);
  if (!content) return tl::unexpected{content.error()};
  auto record = parse_record(*content);
  if (!record) return tl::unexpected{record.error()};
  auto limits = on.limits(order.scratch_bytes);
  if (!limits) return tl::unexpected{limits.error()};
  auto images = check_record(*record, sizes_of(order), *limits);
  if (!images) return tl::unexpected{images.error()};
  auto lent = open_lent(on, order);
  if (!lent) return tl::unexpected{lent.error()};
  return replay::load(on, *record, *images, *lent);
}

/// `x.gpu` must stay where it is afterwards.
expected<void> load(program& x, const device_order& order) {
  auto clock = device_clock::make(x.gpu);
  if (!clock) return tl::unexpected{clock.error()};
  x.clock = *clock;
  if (order.artifact.empty()) return {};
  auto work = load_record(x.gpu, order);
  if (!work) return tl::unexpected{work.error()};
  x.work = *std::move(work);
  return {};
}

// -- commands ---------------------------------------------------------------------------------------------------------

/// All that a call is, with or without its operations.
expected<std::chrono::nanoseconds> measure(const program& x, bool with_operations) {
  if (with_operations && !x.work) return tl::unexpected{std::string{"there is no launch record to carry out"}};
  if (x.work)
    if (auto ok = x.work->prepare(); !ok) return tl::unexpected{ok.error()};
  if (auto ok = x.clock->start(x.work ? x.work->operations() : 0); !ok) return tl::unexpected{ok.error()};
  if (with_operations)
    if (auto ok = x.work->run(); !ok) return tl::unexpected{ok.error()};
  return x.clock->stop();
}

expected<std::chrono::nanoseconds> carry_out(const program& x, const command& wanted) {
  if (wanted.reset) return std::chrono::nanoseconds{0};  // arguments are read where they are lent
  if (wanted.variant != 0) return tl::unexpected{std::string{"a launch record has one shape"}};
  auto measured = measure(x, wanted.call.has_value());
  if (wanted.empty) keep_busy(wanted.ns);
  return measured;
}

// -- the conversation -------------------------------------------------------------------------------------------------

int fail(judge_socket& judge, const std::string& message) {
  judge.raised(message);
  return 1;
}

int answer_all(judge_socket& judge, const program& x) {
  for (;;) {
    auto wanted = judge.receive();
    if (!wanted) return fail(judge, wanted.error());
    if (!*wanted) return 0;
    const auto& asked = **wanted;
    auto number = asked.call ? asked.call : asked.reset ? asked.reset : asked.empty;
    if (!number) return fail(judge, "the judge asks for nothing that is known here");
    auto measured = carry_out(x, asked);
    if (!measured) return fail(judge, measured.error());
    if (!judge.done(*number, *measured)) return 0;
  }
}

expected<device_order> read_order() {
  auto content = devices::worker::native::read_order_content(order_descriptor);
  if (!content) return tl::unexpected{content.error()};
  return parse_device_order(*content);
}

int serve(bool profiled) {
  static judge_socket judge{socket_descriptor};
  auto order = read_order();
  if (!order) return fail(judge, order.error());
  auto gpu = gpu::open();
  if (!gpu) return fail(judge, gpu.error());
  if (!profiled)
    if (auto ok = devices::worker::native::deny_processes(); !ok)
      return fail(judge, ok.error());  // starting it took sockets
  static program x{*gpu, {}, {}};
  if (auto ok = load(x, *order); !ok) return fail(judge, ok.error());
  return judge.loaded() ? answer_all(judge, x) : 0;
}

}  // namespace

int main(int count, char** arguments) {
  bool profiled = count > 1 && std::string_view{arguments[1]} == "--profiled";
  devices::worker::native::restore_defaults();
  if (!profiled) devices::worker::native::close_from(order_descriptor + 1);
  _exit(serve(profiled));  // the driver ends with the process, also where a kernel of it never does
}
