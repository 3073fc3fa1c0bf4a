// kernelmesh-native-host: a candidate's process without Python, for programs that are a C function in a library.
//
// Takes no arguments. Descriptor 3 is the socket to the judge, 4 the order, 5, 6, 7 the lent inputs, weights and
// outputs; all others from 3 on are closed. PROTOCOL.md ("Judge and candidate", "The order") says what is spoken.
// Exit code: 0, the judge closed its end; 1, after `raised`. Signals that the library causes end it.

#include <unistd.h>
#include <chrono>
#include <optional>

#include "devices/worker/native/confinement.hpp"
#include "devices/worker/native/kernel_library.hpp"
#include "devices/worker/native/lent_memory.hpp"
#include "devices/worker/native/packets.hpp"

namespace {

using namespace devices::worker::native;

constexpr int socket_descriptor = 3, order_descriptor = 4, first_lent = 5;

/// A function with what it is given.
struct prepared_call {
  kernel_arguments arguments;
  std::optional<kernel_library> library;
};

/// What is called again and again, a call for each shape. `order` holds the shapes that `arguments` points to.
struct program {
  devices::worker::native::order order;
  std::vector<prepared_call> calls;
};

expected<void> load_libraries(program& x) {
  if (x.order.artifact.empty()) return {};
  for (std::size_t i = 0; i < x.calls.size(); ++i) {
    auto library = kernel_library::load(x.order.artifact, x.order.variants[i].function);
    if (!library) return tl::unexpected{library.error()};
    x.calls[i].library = *library;
  }
  return {};
}

expected<program> load() {
  auto order = read_order(order_descriptor);
  if (!order) return tl::unexpected{order.error()};
  auto lent = map_lent(first_lent, order->lent);
  if (!lent) return tl::unexpected{lent.error()};
  program x{*std::move(order), {}};
  for (const auto& variant : x.order.variants)
    x.calls.push_back({{views(variant.arguments, *lent), views(variant.outputs, *lent), x.order.cores}, {}});
  announce_threads(x.order.cores);
  if (auto ok = deny_processes(); !ok) return tl::unexpected{ok.error()};
  if (auto ok = load_libraries(x); !ok) return tl::unexpected{ok.error()};
  return x;
}

expected<void> call(const program& x, std::size_t variant) {
  if (variant >= x.calls.size() || !x.calls[variant].library)
    return tl::unexpected{std::string{"there is no function to call"}};
  return x.calls[variant].library->call(x.calls[variant].arguments);
}

expected<std::uint64_t> carry_out(const program& x, const command& wanted) {
  if (wanted.call) return call(x, wanted.variant).map([&] { return *wanted.call; });
  if (wanted.reset) return *wanted.reset;  // arguments are read where they are lent
  if (!wanted.empty) return tl::unexpected{std::string{"the judge asks for nothing that is known here"}};
  keep_busy(wanted.ns);
  return *wanted.empty;
}

int fail(judge_socket& judge, const std::string& message) {
  judge.raised(message);
  return 1;
}

int answer_all(judge_socket& judge, const program& x) {
  for (;;) {
    auto wanted = judge.receive();
    if (!wanted) return fail(judge, wanted.error());
    if (!*wanted) return 0;
    auto number = carry_out(x, **wanted);
    if (!number) return fail(judge, number.error());
    if (!judge.done(*number)) return 0;
  }
}

int serve() {
  static judge_socket judge{socket_descriptor};
  auto x = load();
  if (!x) return fail(judge, x.error());
  return judge.loaded() ? answer_all(judge, *x) : 0;
}

}  // namespace

int main() {
  keep_freed_pages();
  restore_defaults();
  close_from(first_lent + static_cast<int>(buffer_count));
  _exit(serve());  // destructors are the library's as well: what they do helps nobody
}
