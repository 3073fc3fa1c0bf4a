// What becomes of requests that are open when they are cancelled, or when what serves them is destroyed. The server
// takes connections and never says a word.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <future>

#include <doctest/doctest.h>

#include "llm_client/exchanges.hpp"

namespace shutdown_test {

using namespace llm_client;
using kind = messages::llm_failure_kind;

namespace {

/// The kernel completes connections; nobody reads them.
class mute_server {
public:
  mute_server() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    auto plain = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket_, plain, size) == 0);
    REQUIRE(::listen(socket_, 16) == 0);
    REQUIRE(::getsockname(socket_, plain, &size) == 0);
    port = ntohs(address.sin_port);
  }
  ~mute_server() { ::close(socket_); }
  mute_server(const mute_server&) = delete;

  std::uint16_t port = 0;

private:
  int socket_;
};

configs::llm_options options_at(const mute_server& server) {
  configs::llm_options x;
  x.providers["one"] = {.base_url = "http://127.0.0.1:" + std::to_string(server.port) + "/v1", .proxy = "none"};
  x.models["m"] = {.provider = "one"};
  return x;
}

model_list models_of(const configs::llm_options& options) {
  return load_models(options, {}, {.variable = [](const std::string&) { return std::string{}; }});
}

/// Of one request: how often it ended, and how.
struct ended {
  std::promise<kind> told;
  int times = 0;

  std::function<void(outcome)> listener() {
    return [this](outcome x) {
      if (++times == 1) told.set_value(x ? kind::unknown : x.error().kind);
    };
  }
  kind wait() { return told.get_future().get(); }
};

messages::llm_request any_request() { return {.messages = {{.text = "Q"}}}; }

}  // namespace

TEST_CASE("a loop that is destroyed ends what is open, and what was started last") {
  mute_server server;
  auto options = options_at(server);
  ended first, last;
  {
    http_loop loop;
    client asked{loop, {}};
    auto model = models_of(options).usable.at("m");
    asked.start({model, any_request(), {}}, {.done = first.listener()});
    asked.start({model, any_request(), {}}, {.done = last.listener()});
  }
  CHECK(first.wait() == kind::cancelled);
  CHECK(last.wait() == kind::cancelled);
  CHECK(first.times + last.times == 2);
}

TEST_CASE("exchanges that are destroyed end theirs and leave the loop to others") {
  mute_server server;
  auto options = options_at(server);
  ended gone, other;
  http_loop loop;
  {
    exchanges all{loop, options, models_of(options), [] { return 0.5; }};
    all.start({"m"}, any_request(), {.done = gone.listener()});
  }
  CHECK(gone.wait() == kind::cancelled);
  exchanges others{loop, options, models_of(options), [] { return 0.5; }};
  auto id = others.start({"m"}, any_request(), {.done = other.listener()});
  others.cancel(id);
  others.cancel(id);
  CHECK(other.wait() == kind::cancelled);
}

TEST_CASE("a request that waits for its next attempt can be cancelled") {
  configs::llm_options options;
  options.providers["one"] = {.base_url = "http://127.0.0.1:1/v1", .proxy = "none"};  // refused at once
  options.models["m"] = {.provider = "one"};
  options.retry.first_wait = options.retry.longest_wait = std::chrono::hours{1};
  http_loop loop;
  exchanges all{loop, options, models_of(options), [] { return 1.0; }};
  ended x;
  std::promise<exchange_id> id;
  auto known = id.get_future();
  exchange_events events{.done = x.listener()};
  events.failed = [&](const messages::llm_failure& why) {
    CHECK(why.kind == kind::connection_failed);
    all.cancel(known.get());
  };
  id.set_value(all.start({"m"}, any_request(), std::move(events)));
  CHECK(x.wait() == kind::cancelled);
}

TEST_CASE("a request of models that are not there ends at once and names them") {
  http_loop loop;
  exchanges all{loop, {}, {}, [] { return 0.5; }};
  std::promise<std::string> said;
  all.start({"m"}, any_request(), {.done = [&](outcome x) { said.set_value(x.error().detail); }});
  CHECK(said.get_future().get() == "no model can be asked; m: there is no such model");
}

TEST_CASE("one end may start the next request") {
  mute_server server;
  auto options = options_at(server);
  http_loop loop;
  client asked{loop, {.first_token = std::chrono::milliseconds{1}}};
  auto model = models_of(options).usable.at("m");
  ended second;
  asked.start({model, any_request(), {}}, {.done = [&](outcome x) {
                CHECK(x.error().kind == kind::first_token_timeout);
                asked.start({model, any_request(), {}}, {.done = second.listener()});
              }});
  CHECK(second.wait() == kind::first_token_timeout);
}

}  // namespace shutdown_test
