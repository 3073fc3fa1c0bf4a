#include "actors/control_socket.hpp"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "devices/worker/zmq.hpp"
#include "messages/wire/wire.hpp"

namespace actors {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// Of sockaddr_un, with its closing 0.
constexpr std::size_t longest_path = 107;

constexpr auto suffix = ".control";
constexpr auto events_suffix = ".events";  // what a node publishes on lies beside it

wire::bytes_view bytes_of(const zmq::message_t& x) { return {static_cast<const std::byte*>(x.data()), x.size()}; }

/// Not asked by process id: who looks may live in another pid namespace.
bool is_listened_to(const fs::path& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  auto text = path.string();
  if (text.size() > longest_path) return false;
  std::ranges::copy(text, address.sun_path);
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool reached = fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  bool there = reached || errno == EAGAIN || errno == EACCES;  // its queue is full; it is another user's
  if (fd >= 0) ::close(fd);
  return there;
}

zmq::const_buffer buffer_of(const wire::bytes& x) { return zmq::buffer(x.data(), x.size()); }

}  // namespace

struct control_server::thread {
  fs::path path;
  handler answer;
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::rep};
  int stop = ::eventfd(0, EFD_CLOEXEC);
  std::thread runs;

  ~thread() {
    std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(stop, &one, sizeof one);
    if (runs.joinable()) runs.join();
    ::close(stop);
    std::error_code ignored;
    fs::remove(path, ignored);
  }

  void loop() {
    zmq::pollitem_t items[]{{socket.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, stop, ZMQ_POLLIN, 0}};
    for (;;) {
      try {
        zmq::poll(items, 2, std::chrono::milliseconds{-1});
        if (items[1].revents != 0) return;
        if (items[0].revents != 0) serve();
      } catch (const zmq::error_t& e) {
        if (e.num() != EINTR && e.num() != EAGAIN) return;
      }
    }
  }

  void serve() {
    zmq::message_t message;
    if (!socket.recv(message, zmq::recv_flags::dontwait)) return;
    while (message.more()) [[maybe_unused]] auto rest = socket.recv(message, zmq::recv_flags::dontwait);
    auto request = wire::unpack<control_request>(bytes_of(message));
    auto reply =
        request ? answer(*request) : control_reply{failure{failure_code::unreadable, to_string(request.error())}};
    socket.send(buffer_of(wire::pack(reply)), zmq::send_flags::dontwait);
  }
};

control_server::control_server(std::unique_ptr<thread> x) : thread_(std::move(x)) {}
control_server::~control_server() = default;

expected<std::unique_ptr<control_server>> control_server::open(const fs::path& folder, handler answer) {
  auto x = std::make_unique<thread>();
  x->path = folder / (std::to_string(::getpid()) + suffix);
  x->answer = std::move(answer);
  if (x->path.string().size() > longest_path)
    return fail(failure_code::misconfigured, "the state folder's path is too long for a socket (" + x->path.string()
                                                 + "): set KERNELMESH_HOME to a shorter one");
  try {
    x->socket.set(zmq::sockopt::linger, 0);
    devices::worker::zeromq::refuse_peers_without_greeting(x->socket);
    x->socket.set(zmq::sockopt::maxmsgsize, std::int64_t{1} << 20);
    x->socket.bind("ipc://" + x->path.string());
  } catch (const zmq::error_t& e) {
    return fail(failure_code::storage, "cannot listen on " + x->path.string() + ": " + e.what());
  }
  x->runs = std::thread{[raw = x.get()] { raw->loop(); }};
  return std::unique_ptr<control_server>{new control_server{std::move(x)}};
}

std::vector<fs::path> control_sockets(const fs::path& folder) {
  std::vector<fs::path> living;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder, error}) {
    auto kind = entry.path().extension();
    if (kind != suffix && kind != events_suffix) continue;
    bool lives = is_listened_to(entry.path());
    if (!lives) fs::remove(entry.path(), error);
    if (lives && kind == suffix) living.push_back(entry.path());
  }
  return living;
}

expected<control_reply> ask_control(const fs::path& path, const control_request& request,
                                    std::chrono::milliseconds limit) {
  try {
    zmq::context_t context{1};
    zmq::socket_t socket{context, zmq::socket_type::req};
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(limit.count()));
    socket.connect("ipc://" + path.string());
    socket.send(buffer_of(wire::pack(request)), zmq::send_flags::none);
    zmq::message_t message;
    if (!socket.recv(message)) return fail(failure_code::deadline_exceeded, path.string() + " did not answer in time");
    auto reply = wire::unpack<control_reply>(bytes_of(message));
    if (!reply) return fail(failure_code::unreadable, path.string() + ": " + to_string(reply.error()));
    return *std::move(reply);
  } catch (const zmq::error_t& e) {
    return fail(failure_code::node_lost, "cannot ask " + path.string() + ": " + e.what());
  }
}

}  // namespace actors
