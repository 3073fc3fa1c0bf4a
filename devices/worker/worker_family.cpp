#include "devices/worker/worker_family.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace devices::worker {

namespace fs = std::filesystem;
using messages::failure;
using messages::failure_code;

namespace {

constexpr wire::limits answer_limits{
    .message_bytes = messages::worker_message_bytes, .memory_bytes = 256u << 20, .depth = 32};

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n\t") + 1);
  return text.substr(text.find_last_of('\n') + 1);  // npos + 1 is 0
}

std::string sentence_of(worker_role role, const process_end& end) {
  auto how = end.code > 128 ? fmt::format("was ended by signal {}", end.code - 128)
                            : fmt::format("ended with exit code {}", end.code);
  auto said = last_line(end.tail);
  return fmt::format("its {} {}{}{}", name_of(role), how, said.empty() ? "" : ": ", said);
}

std::string seconds(std::chrono::milliseconds x) { return fmt::format("{:g} s", static_cast<double>(x.count()) / 1e3); }

}  // namespace

worker_family::worker_family(worker_hub& hub, worker_family_options options, family_events events)
    : hub_(hub), options_(std::move(options)), events_(std::move(events)) {}

worker_family::~worker_family() {
  clear_timer();
  for (const auto& [id, open] : calls_)
    if (open.timer) hub_.cancel(*open.timer);
  hub_.end_now({&id_, 1});
}

failure worker_family::lost(const std::string& what) const {
  return {failure_code::worker_lost, options_.name + ": " + what};
}

void worker_family::set_timer(std::chrono::milliseconds delay, worker_hub::task f) {
  clear_timer();
  timer_ = hub_.after(delay, std::move(f));
}

void worker_family::clear_timer() {
  if (timer_) hub_.cancel(*timer_);
  timer_.reset();
}

// -- starting ---------------------------------------------------------------------------------------------------------

void worker_family::start() {
  if (state_ == state::stopped) start_generation();
}

void worker_family::start_generation() {
  state_ = state::starting;
  last_end_.reset();
  ++starts_;
  set_timer(options_.start_limit,
            [this] { end(lost("no hello within " + seconds(options_.start_limit)), blame::family); });
  if (auto started = start_worker(); !started) end(started.error(), blame::family);
}

messages::expected<void> worker_family::make_folders() {
  auto folder = private_folder::make(hub_.folder(), "family." + random_token());
  if (!folder) return tl::unexpected{folder.error()};
  folder_ = *std::move(folder);
  folders_ = {.files = folder_.path() / "files", .own = folder_.path() / name_of(options_.role)};
  std::error_code error;
  for (const auto& x : {folders_.files, folders_.own}) fs::create_directory(x, error);
  fs::permissions(folders_.files, fs::perms{0755}, error);  // the worker is another user in its sandbox
  if (error) return tl::unexpected{failure{failure_code::storage, "cannot make a worker's folder: " + error.message()}};
  return {};
}

/// Only the judge needs rights in its namespaces: to start a zygote with them. It gives up its own.
std::string worker_family::sandbox() const {
  worker_view x{.folders = {folders_.files, hub_.socket_file()},
                .own = folders_.own,
                .devices = options_.devices,
                .keeps_rights = options_.role == worker_role::judge};
  for (const auto& path : options_.readable) x.folders.push_back(path);
  return sandbox_of(options_.python.sandbox, x);
}

messages::expected<void> worker_family::start_worker() {
  if (auto made = make_folders(); !made) return made;
  auto id = random_token();
  std::vector<std::string> arguments{"--connect", hub_.endpoint(), "--id", id};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  process_order order{.command = worker_command(options_.python, options_.role, arguments),
                      .environment = worker_environment(options_.python, options_.role, folders_.own),
                      .folder = folders_.own,
                      .sandbox = sandbox()};
  auto started = hub_.start(
      id, order,
      {.message = [this](wire::bytes_view x) { on_message(x); }, .ended = [this](process_end x) { on_ended(x); }});
  if (started) id_ = id;
  return started;
}

// -- what the worker says
// ----------------------------------------------------------------------------------------------

void worker_family::on_message(wire::bytes_view message) {
  auto reply = wire::unpack<messages::worker_reply>(message, answer_limits);
  if (!reply) return end(lost("it sent what can't be read: " + to_string(reply.error())), blame::family);
  if (auto hello = std::get_if<messages::worker_hello>(&reply->content)) return on_hello(*hello);
  if (is_up()) on_reply(*std::move(reply));
}

void worker_family::on_hello(const messages::worker_hello& hello) {
  if (state_ != state::starting) return;
  auto role = name_of(options_.role);
  if (hello.version != messages::worker_version || hello.role != role)
    return end(
        lost(fmt::format("it is a {} that speaks version {} of the worker protocol; a {} with version {} is needed",
                         hello.role, hello.version, role, messages::worker_version)),
        blame::family);
  clear_timer();
  state_ = state::up;
  events_.up(hello);
}

void worker_family::on_reply(messages::worker_reply reply) {
  auto found = calls_.find(reply.id);
  if (found == calls_.end()) return;  // forgotten
  if (auto progress = std::get_if<messages::worker_progress>(&reply.content)) {
    if (auto report = found->second.call.progress) report(*progress);
    return;
  }
  auto open = std::move(calls_.extract(found).mapped());
  if (open.timer) hub_.cancel(*open.timer);
  if (auto failed = std::get_if<messages::worker_failure>(&reply.content))
    return open.call.done(messages::fail(failure_code::no_resource, options_.name + ": " + failed->message));
  if (!std::holds_alternative<messages::probe_work>(open.call.work)) pause_ = {};
  open.call.done(std::move(reply.content));
}

// -- calls ------------------------------------------------------------------------------------------------------------

worker_family::call_id worker_family::call(worker_call x) {
  auto id = ++last_call_;
  auto command = wire::pack(messages::worker_command{id, x.work});
  auto sent = is_up() && hub_.send(id_, command);
  auto limit = sent ? x.limit : std::chrono::milliseconds{0};
  auto timer = hub_.after(limit, [this, id, sent] { sent ? expire(id) : fail_call(id, lost("it is not connected")); });
  calls_.emplace(id, open_call{std::move(x), timer});
  return id;
}

void worker_family::forget(call_id id) {
  auto open = calls_.extract(id);
  if (!open.empty() && open.mapped().timer) hub_.cancel(*open.mapped().timer);
}

void worker_family::fail_call(call_id id, const failure& why) {
  auto open = calls_.extract(id);
  if (open.empty()) return;
  if (open.mapped().timer) hub_.cancel(*open.mapped().timer);
  open.mapped().call.done(tl::unexpected{why});
}

void worker_family::expire(call_id id) {
  auto limit = seconds(calls_.at(id).call.limit);
  state_ = state::ending;  // before the asker hears of it: it may have more to ask
  fail_call(id, {failure_code::deadline_exceeded, options_.name + ": no answer within " + limit});
  end(lost("it was ended, since a call took longer than " + limit), blame::nobody);
}

// -- ending -----------------------------------------------------------------------------------------------------------

void worker_family::restart(const failure& why, blame whose) {
  if (state_ == state::starting || state_ == state::up) end(why, whose);
}

void worker_family::end(const failure& why, blame whose) {
  state_ = state::ending;
  clear_timer();
  if (whose == blame::family)
    pause_ = pause_.count() == 0 ? options_.first_pause : std::min(2 * pause_, options_.longest_pause);
  next_pause_ = whose == blame::family ? pause_ : std::chrono::milliseconds{0};
  hub_.terminate(id_);
  for (auto last = last_call_; !calls_.empty() && calls_.begin()->first <= last;) fail_call(calls_.begin()->first, why);
  events_.down(why);
  if (id_.empty()) start_after_pause();
}

void worker_family::on_ended(const process_end& how) {
  id_.clear();
  if (state_ != state::ending) {
    last_end_ = how;
    return end(lost(sentence_of(options_.role, how)), blame::family);
  }
  start_after_pause();
}

void worker_family::start_after_pause() {
  folder_.remove();
  set_timer(next_pause_, [this] { start_generation(); });
}

}  // namespace devices::worker
