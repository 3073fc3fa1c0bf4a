#include <unistd.h>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <optional>

#include "actors/cli/commands.hpp"
#include "actors/cli/place.hpp"
#include "actors/cli/progress.hpp"
#include "actors/cli/signals.hpp"
#include "actors/joined_node.hpp"
#include "actors/links/keys.hpp"
#include "actors/logic/link_protocol.hpp"
#include "configs/bounded_file.hpp"
#include "configs/wording.hpp"

namespace actors::cli {

using namespace messages;

namespace {

constexpr std::size_t longest_token = 4096;

/// Why the node ends: asked to, or refused.
class ending {
public:
  void stop() { end(std::nullopt); }
  void refuse(const std::string& why) { end(failure{failure_code::refused, why}); }

  std::optional<failure> wait() {
    std::unique_lock lock{mutex_};
    over_.wait(lock, [this] { return ended_; });
    return why_;
  }

private:
  void end(std::optional<failure> why) {
    std::lock_guard lock{mutex_};
    if (!std::exchange(ended_, true)) why_ = std::move(why);
    over_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  std::optional<failure> why_;
};

expected<join_ticket> read_ticket(const std::string& token) {
  if (!token.starts_with('@')) return links::read_token(token);
  auto text = configs::read_file({.path = token.substr(1), .what = "token", .limit_bytes = longest_token});
  if (!text) return fail(failure_code::bad_input, "--join: " + text.error().detail);
  return links::read_token(text->substr(0, text->find_last_not_of(" \t\r\n") + 1));
}

/// "pool.gpu-host-3" of the token for "pool"; a token that was made for this host alone bears its name.
std::string usual_name(const node_name& key) {
  char host[256]{};
  if (::gethostname(host, sizeof host - 1) != 0) return key.value;
  auto name = configs::safe_name(std::string{host}.substr(0, std::string_view{host}.find('.')));
  return name == key.value ? name : configs::safe_name(key.value + '.' + name);
}

expected<std::string> name_of(const join_command_options& options, const join_ticket& ticket) {
  auto name = options.name.empty() ? usual_name(ticket.name) : options.name;
  if (logic::key_admits(ticket.name, {name}) && configs::safe_name(name) == name) return name;
  return fail(failure_code::bad_input, "--name: this token is for nodes called " + configs::in_quotes(ticket.name.value)
                                           + ", or that with a dot and letters, digits, \"-\" or \"_\" behind it, not "
                                           + configs::in_quotes(name));
}

void tell(progress& shown, ending& end, const std::string& address, const link_event& x) {
  switch (x.kind) {
    case link_event_kind::joined: return shown.say("joined " + address);
    case link_event_kind::lost: return shown.say("lost " + address + " (" + x.detail + "); dialling again");
    case link_event_kind::refused: return end.refuse(address + ": " + x.detail);
    default: return shown.say("warning: " + address + ": what it sends can't be read: " + x.detail);
  }
}

}  // namespace

outcome join(const common_options& common, const join_command_options& options) {
  auto ticket = read_ticket(options.token);
  if (!ticket) return tl::unexpected{ticket.error()};
  auto name = name_of(options, *ticket);
  if (!name) return tl::unexpected{name.error()};
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto at = open_system(*where, common);
  if (!at) return tl::unexpected{at.error()};
  at->config.node = *name;
  auto setup = set_up_node(*where, common, at->config, at->state);
  if (!setup) return tl::unexpected{setup.error()};
  signal_block block;
  ending end;
  progress shown{{false, common.verbose, true, false}};  // no run is shown here
  setup->on_event = [&](const event& x) { shown.show(x); };
  signal_watch watch{[&] { end.stop(); }};
  auto on_link = [&](const link_event& x) { tell(shown, end, ticket->address, x); };
  shown.say("node " + *name + " dials " + ticket->address);
  auto here = joined_node::start(*setup, {*ticket, on_link});
  if (!here) return tl::unexpected{here.error()};
  auto why = end.wait();
  if (!why) shown.say("leaving; what runs is given back");
  here->reset();
  if (why) return tl::unexpected{*why};
  return exit_code::done;
}

}  // namespace actors::cli
