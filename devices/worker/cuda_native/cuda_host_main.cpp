// kernelmesh-cuda-host: a candidate's process for programs that are a launch record. Nothing of the candidate runs on
// the host's side: the record is read, checked, and carried out by the CUDA driver.
//
// Takes no arguments. Descriptor 3 is the socket to the judge, 4 the order; all others from 3 on are closed.
// PROTOCOL.md
// ("Judge and candidate", "The order", "Launch records on a GPU") says what is spoken. Exit code: 0, the judge closed
// its end; 1, after `raised`.

#include <unistd.h>
#include <optional>

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
  device_address gate = 0;  ///< 0: none
};

// -- loading ----------------------------------------------------------------------------------------------------------

expected<std::vector<device_address>> open_lent(const gpu& on, const device_order& order) {
  std::vector<device_address> buffers;
  for (std::size_t i = 0; i < order.lent.size(); ++i) {
    auto one = on.open_lent(order.handles[i], order.lent[i]);
    if (!one) return tl::unexpected{"lent buffer " + std::to_string(i) + ": " + one.error()};
    buffers.push_back(*one);
  }
  return buffers;
}

/// Where timed calls wait for their contents; 0: nowhere.
device_address gate_of(const std::vector<device_address>& buffers, const device_order& order) {
  if (buffers.empty() || buffers[0] == 0 || order.lent[0] < gate_bytes) return 0;
  return buffers[0] + order.lent[0] - gate_bytes;
}

lent_addresses places_of(const std::vector<device_address>& buffers, const device_order& order) {
  lent_addresses x;
  for (const auto& tensor : order.arguments) x.arguments.push_back(buffers[tensor.lent] + tensor.offset);
  for (const auto& tensor : order.outputs)
    x.outputs.push_back(buffers[devices::worker::native::outputs_buffer] + tensor.offset);
  return x;
}

expected<replay> load_record(const gpu& on, const device_order& order, const lent_addresses& lent) {
  auto content = read_artifact(order.artifact);
  if (!content) return tl::unexpected{content.error()};
  auto record = parse_record(*content);
  if (!record) return tl::unexpected{record.error()};
  auto limits = on.limits(order.scratch_bytes);
  if (!limits) return tl::unexpected{limits.error()};
  auto images = check_record(*record, sizes_of(order), *limits);
  if (!images) return tl::unexpected{images.error()};
  return replay::load(on, *record, *images, lent);
}

/// `x.gpu` must stay where it is afterwards.
expected<void> load(program& x, const device_order& order) {
  auto clock = device_clock::make(x.gpu);
  if (!clock) return tl::unexpected{clock.error()};
  x.clock = *clock;
  auto buffers = open_lent(x.gpu, order);
  if (!buffers) return tl::unexpected{buffers.error()};
  x.gate = gate_of(*buffers, order);
  if (order.artifact.empty()) return {};
  auto work = load_record(x.gpu, order, places_of(*buffers, order));
  if (!work) return tl::unexpected{work.error()};
  x.work = *std::move(work);
  return {};
}

// -- commands ---------------------------------------------------------------------------------------------------------

/// From a device that is busy, or waits at the gate.
expected<void> start_clock(const program& x, std::uint32_t gate) {
  if (gate == 0) return x.clock->start(x.work ? x.work->operations() : 0);
  if (x.gate == 0) return tl::unexpected{std::string{"no gate is lent"}};
  // One that comes to the gate straight from work stays there for its share of time: the judge's contents come late.
  if (auto ok = x.gpu.finish("what comes before a call failed"); !ok) return ok;
  return x.clock->start_at(x.gate, gate);
}

/// Asks the device for all that a call is, with or without its operations.
expected<void> ask_for(const program& x, std::uint32_t gate, bool with_operations) {
  if (with_operations && !x.work) return tl::unexpected{std::string{"there is no launch record to carry out"}};
  if (x.work)
    if (auto ok = x.work->prepare(); !ok) return ok;
  if (auto ok = start_clock(x, gate); !ok) return ok;
  if (with_operations)
    if (auto ok = x.work->run(); !ok) return ok;
  return x.clock->stop();
}

expected<std::chrono::nanoseconds> carry_out(judge_socket& judge, const program& x, const command& wanted) {
  if (wanted.reset) return std::chrono::nanoseconds{0};  // arguments are read where they are lent
  if (wanted.variant != 0) return tl::unexpected{std::string{"a launch record has one shape"}};
  if (auto ok = ask_for(x, wanted.gate, wanted.call.has_value()); !ok) return tl::unexpected{ok.error()};
  if (wanted.gate != 0)
    judge.ready(wanted.call ? *wanted.call : wanted.empty.value_or(0));  // who is gone is seen later
  auto measured = x.clock->read();
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
    auto measured = carry_out(judge, x, asked);
    if (!measured) return fail(judge, measured.error());
    if (!judge.done(*number, *measured)) return 0;
  }
}

expected<device_order> read_order() {
  auto content = devices::worker::native::read_order_content(order_descriptor);
  if (!content) return tl::unexpected{content.error()};
  return parse_device_order(*content);
}

int serve() {
  static judge_socket judge{socket_descriptor};
  auto order = read_order();
  if (!order) return fail(judge, order.error());
  auto gpu = gpu::open();
  if (!gpu) return fail(judge, gpu.error());
  if (auto ok = devices::worker::native::deny_processes(); !ok)
    return fail(judge, ok.error());  // starting it took sockets
  static program x{*gpu, {}, {}};
  if (auto ok = load(x, *order); !ok) return fail(judge, ok.error());
  return judge.loaded() ? answer_all(judge, x) : 0;
}

}  // namespace

int main() {
  devices::worker::native::restore_defaults();
  devices::worker::native::close_from(order_descriptor + 1);
  _exit(serve());  // the driver ends with the process, also where a kernel of it never does
}
