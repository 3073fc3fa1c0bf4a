#include "devices/worker/worker_family.hpp"

#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace devices::worker {

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
  hub_.end_now(ids_);
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
  ++starts_;
  set_timer(options_.start_limit,
            [this] { end(lost("no hello within " + seconds(options_.start_limit)), blame::family); });
  if (auto started = start_members(); !started) end(started.error(), blame::family);
}

messages::expected<void> worker_family::start_members() {
  auto folder = private_folder::make(hub_.folder(), "family." + random_token());
  if (!folder) return tl::unexpected{folder.error()};
  folder_ = *std::move(folder);

  descriptor pair[2];
  if (options_.members.size() == 2) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return tl::unexpected{lost(fmt::format("cannot make a socket pair: {}", std::strerror(errno)))};
    for (int i : {0, 1}) pair[i] = descriptor{ends[i]};
  }
  for (std::size_t i = 0; i < options_.members.size(); ++i)
    if (auto ok = start_member(options_.members[i], i == 0, i < 2 ? pair[i].get() : -1); !ok) return ok;
  return {};
}

messages::expected<void> worker_family::start_member(const family_member& member, bool speaks, int pair) {
  auto id = random_token();
  auto folder = folder_.path() / name_of(member.role);
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  auto arguments = member.arguments;
  if (speaks) arguments.insert(arguments.begin(), {"--connect", hub_.endpoint(), "--id", id});
  if (pair >= 0) arguments.insert(arguments.end(), {"--pair", std::to_string(pair_number)});
  process_order order{.command = worker_command(options_.python, member.role, arguments),
                      .environment = worker_environment(options_.python, member.role, folder),
                      .folder = folder,
                      .pair = pair};
  process_events events{.message =
                            [this, speaks](wire::bytes_view x) {
                              if (speaks) on_message(x);
                            },
                        .ended = [this, id, role = member.role](process_end x) { on_ended(id, role, x); }};
  auto started = hub_.start(id, order, std::move(events));
  if (started) ids_.push_back(id);
  return started;
}

// -- what the speaker says --------------------------------------------------------------------------------------------

void worker_family::on_message(wire::bytes_view message) {
  auto reply = wire::unpack<messages::worker_reply>(message, answer_limits);
  if (!reply) return end(lost("it sent what can't be read: " + to_string(reply.error())), blame::family);
  if (auto hello = std::get_if<messages::worker_hello>(&reply->content)) return on_hello(*hello);
  if (is_up()) on_reply(*std::move(reply));
}

void worker_family::on_hello(const messages::worker_hello& hello) {
  if (state_ != state::starting) return;
  auto role = name_of(options_.members.front().role);
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
  auto sent = is_up() && hub_.send(ids_.front(), command);
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
  for (const auto& id : ids_) hub_.terminate(id);
  for (auto last = last_call_; !calls_.empty() && calls_.begin()->first <= last;) fail_call(calls_.begin()->first, why);
  events_.down(why);
  if (ids_.empty()) on_all_ended();
}

void worker_family::on_ended(const std::string& id, worker_role role, const process_end& how) {
  std::erase(ids_, id);
  if (state_ != state::ending) return end(lost(sentence_of(role, how)), blame::family);
  if (ids_.empty()) on_all_ended();
}

void worker_family::on_all_ended() {
  folder_.remove();
  set_timer(next_pause_, [this] { start_generation(); });
}

}  // namespace devices::worker
