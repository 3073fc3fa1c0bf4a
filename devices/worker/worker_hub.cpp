#include "devices/worker/worker_hub.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>

#include <fmt/format.h>

#include "devices/worker/zmq.hpp"

namespace devices::worker {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

constexpr std::size_t longest_socket_path = 107;  // of sockaddr_un, without its end
constexpr int messages_a_turn = 64;
constexpr auto folder_prefix = "hub.";
constexpr auto lock_name = "lock";

/// Held as long as the owner lives, however it ends.
bool lock(const descriptor& file) { return file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0; }

/// It gets its name when it is held already, so that no sweep takes it for that of a dead hub.
descriptor make_lock(const fs::path& folder) {
  auto unnamed = folder / "unlocked";
  descriptor file{::open(unnamed.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (lock(file)) ::rename(unnamed.c_str(), (folder / lock_name).c_str());
  return file;
}

void sweep(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(folder_prefix)) continue;
    descriptor file{::open((entry.path() / lock_name).c_str(), O_RDWR | O_CLOEXEC)};
    if (lock(file)) fs::remove_all(entry.path(), error);
  }
}

}  // namespace

struct worker_hub::socket {
  zmq::context_t context{1};
  zmq::socket_t router{context, zmq::socket_type::router};
};

messages::expected<void> worker_hub_options::validate() const {
  if (folder.empty()) return fail(failure_code::misconfigured, "the worker hub has no folder");
  if (::access(guard.c_str(), X_OK) != 0)
    return fail(failure_code::misconfigured, "the guard " + guard.string() + " can't be run: " + std::strerror(errno));
  return {};
}

// -- opening and closing ----------------------------------------------------------------------------------------------

messages::expected<std::shared_ptr<worker_hub>> worker_hub::open(const worker_hub_options& options) {
  if (auto valid = options.validate(); !valid) return tl::unexpected{valid.error()};
  sweep(options.folder);
  auto folder = private_folder::make(options.folder, folder_prefix + random_token());
  if (!folder) return tl::unexpected{folder.error()};
  std::shared_ptr<worker_hub> hub{new worker_hub{options}};
  hub->folder_ = *std::move(folder);
  if (auto bound = hub->bind(); !bound) return tl::unexpected{bound.error()};
  hub->thread_ = std::thread{[self = hub.get()] { self->loop(); }};
  return hub;
}

worker_hub::worker_hub(const worker_hub_options& options)
    : options_(options), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), socket_(std::make_unique<socket>()) {}

fs::path worker_hub::socket_file() const { return folder() / "sock"; }

messages::expected<void> worker_hub::bind() try {
  lock_ = make_lock(folder());
  auto path = socket_file();
  if (path.native().size() > longest_socket_path)
    return fail(failure_code::misconfigured,
                "the folder " + options_.folder.string() + " has too long a path for " + "sockets; name a shorter one");
  endpoint_ = "ipc://" + path.string();
  auto& router = socket_->router;
  router.set(zmq::sockopt::linger, 0);
  router.set(zmq::sockopt::maxmsgsize, options_.message_bytes);
  router.set(zmq::sockopt::router_mandatory, true);
  router.set(zmq::sockopt::sndhwm, 0);
  zeromq::refuse_peers_without_greeting(router);
  router.bind(endpoint_);
  std::error_code error;
  fs::permissions(path, fs::perms::all & ~(fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec),
                  error);  // a worker is another user in its sandbox; others don't reach it through our folder
  if (error) return fail(failure_code::storage, "cannot open " + path.string() + " to workers: " + error.message());
  return {};
} catch (const zmq::error_t& e) {
  return fail(failure_code::storage, "cannot listen on " + endpoint_ + ": " + e.what());
}

worker_hub::~worker_hub() {
  if (!thread_.joinable()) return;
  post([this] { stopping_ = true; });
  thread_.join();
}

// -- from any thread --------------------------------------------------------------------------------------------------

void worker_hub::post(task f) {
  {
    std::lock_guard lock{mutex_};
    tasks_.push_back(std::move(f));
  }
  std::uint64_t one = 1;
  while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void worker_hub::call(const task& f) {
  if (std::this_thread::get_id() == thread_.get_id()) return f();
  std::promise<void> done;
  post([&] {
    f();
    done.set_value();
  });
  done.get_future().wait();
}

// -- processes --------------------------------------------------------------------------------------------------------

messages::expected<void> worker_hub::start(const std::string& id, const process_order& order, process_events events) {
  auto process = child_process::start(options_.guard, order);
  if (!process) return tl::unexpected{process.error()};
  workers_.emplace(id, worker{*std::move(process), std::move(events)});
  return {};
}

bool worker_hub::send(const std::string& id, const wire::bytes& message) try {
  constexpr auto more = zmq::send_flags::sndmore | zmq::send_flags::dontwait;
  auto& router = socket_->router;
  return router.send(zmq::buffer(id), more) && router.send(zmq::buffer(message), zmq::send_flags::dontwait);
} catch (const zmq::error_t&) {
  return false;  // router_mandatory: not connected
}

void worker_hub::terminate(const std::string& id) {
  auto found = workers_.find(id);
  if (found == workers_.end() || found->second.ending) return;
  found->second.ending = true;
  found->second.process.terminate();
  after(options_.kill_grace, [this, id] {
    if (auto late = workers_.find(id); late != workers_.end()) late->second.process.kill();
  });
}

void worker_hub::end_now(std::span<const std::string> ids) {
  for (const auto& id : ids) terminate(id);
  auto deadline = clock::now() + options_.kill_grace;  // one for all: they end side by side
  for (const auto& id : ids) {
    auto found = workers_.find(id);
    if (found == workers_.end()) continue;
    auto& process = found->second.process;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (!process.has_ended(static_cast<int>(std::max<std::int64_t>(0, left)))) process.kill();
    process.reap();
    workers_.erase(found);
  }
}

worker_hub::timer_id worker_hub::after(std::chrono::milliseconds delay, task f) {
  timer_id id{clock::now() + delay, ++last_timer_};
  timers_.emplace(id, std::move(f));
  return id;
}

// -- the thread -------------------------------------------------------------------------------------------------------

void worker_hub::loop() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!stopping_) {
    wait();
    run_tasks();
    receive();
    reap();
    fire_timers();
  }
  std::vector<std::string> ids;
  for (const auto& [id, worker] : workers_) ids.push_back(id);
  end_now(ids);
}

int worker_hub::poll_timeout() const {
  if (timers_.empty()) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first - clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

void worker_hub::wait() {
  std::vector<zmq::pollitem_t> items{{socket_->router.handle(), 0, ZMQ_POLLIN, 0},
                                     {nullptr, wake_.get(), ZMQ_POLLIN, 0}};
  for (const auto& [id, worker] : workers_) {
    items.push_back({nullptr, worker.process.exit_descriptor(), ZMQ_POLLIN, 0});
    if (auto output = worker.process.output_descriptor(); output >= 0)
      items.push_back({nullptr, output, ZMQ_POLLIN, 0});
  }
  (void)zmq_poll(items.data(), static_cast<int>(items.size()), poll_timeout());  // zmq::poll throws on a signal
}

void worker_hub::run_tasks() {
  std::uint64_t count = 0;
  if (::read(wake_.get(), &count, sizeof count) < 0) return;
  std::vector<task> tasks;
  {
    std::lock_guard lock{mutex_};
    tasks.swap(tasks_);
  }
  for (auto& f : tasks) f();
}

void worker_hub::receive() {
  for (int i = 0; i < messages_a_turn; ++i) {
    auto parts = zeromq::receive_parts(socket_->router);
    if (parts.empty()) return;
    auto sender = workers_.find(parts[0].to_string());
    if (sender == workers_.end() || parts.size() != 2)
      ++ignored_;
    else if (auto report = sender->second.events.message; !sender->second.ending)
      report(zeromq::view_of(parts[1]));  // a copy: the report may end its worker
  }
}

/// A report may start and end others, so each is made with its worker out of the map.
void worker_hub::reap() {
  std::vector<std::string> ended;
  for (auto& [id, worker] : workers_) {
    worker.process.read_output();
    if (worker.process.has_ended(0)) ended.push_back(id);
  }
  for (const auto& id : ended) {
    auto worker = workers_.extract(id);
    if (worker.empty()) continue;
    auto end = worker.mapped().process.reap();
    worker.mapped().events.ended(std::move(end));
  }
}

void worker_hub::fire_timers() {
  while (!timers_.empty() && timers_.begin()->first.first <= clock::now()) timers_.extract(timers_.begin()).mapped()();
}

}  // namespace devices::worker
