#include "llm_client/exchanges.hpp"

#include <atomic>
#include <future>

namespace llm_client {

namespace {

std::map<std::string, std::string> servers_of(const configs::llm_options& options) {
  std::map<std::string, std::string> out;
  for (const auto& [name, x] : options.models) out[name] = x.provider;
  return out;
}

messages::llm_failure cancelled_failure() {
  return {.kind = messages::llm_failure_kind::cancelled, .detail = "the request was cancelled"};
}

}  // namespace

/// On the loop's thread but for `last_id`. Kept alive by what is under way.
struct exchanges::state : std::enable_shared_from_this<exchanges::state> {
  struct open_exchange {
    exchange route;
    messages::llm_request request;
    exchange_events events;
    http_id attempt = 0;  ///< 0: it waits
  };

  state(http_loop& loop, const configs::llm_options& options, model_list listed, std::function<double()> random)
      : loop(loop),
        asked(loop, options.deadlines),
        models(std::move(listed)),
        routes(options.retry, servers_of(options), std::move(random)) {}

  void add(exchange_id id, std::vector<std::string> wanted, messages::llm_request request, exchange_events events) {
    std::string missing;
    std::erase_if(wanted, [&](const auto& name) {
      if (models.usable.contains(name)) return false;
      auto why = models.unusable.find(name);
      missing += "; " + name + ": " + (why == models.unusable.end() ? "there is no such model" : why->second.detail);
      return true;
    });
    if (wanted.empty())
      return events.done(tl::unexpected{messages::llm_failure{.kind = messages::llm_failure_kind::no_model,
                                                              .detail = "no model can be asked" + missing}});
    open.emplace(id, open_exchange{exchange{std::move(wanted)}, std::move(request), std::move(events)});
    advance(id);
  }

  void advance(exchange_id id) {
    auto found = open.find(id);
    if (found == open.end()) return;
    auto step = routes.next(found->second.route, loop_clock::now());
    if (auto* send = std::get_if<send_step>(&step)) return ask(id, found->second, *send);
    if (auto* end = std::get_if<end_step>(&step)) return finish(id, tl::unexpected{std::move(end->failure)});
    loop.run_at(std::get<wait_step>(step).until, [self = shared_from_this(), id] { self->advance(id); });
  }

  void ask(exchange_id id, open_exchange& x, const send_step& step) {
    if (x.events.attempt) x.events.attempt(step);
    call_events events{.text = x.events.text, .done = [self = shared_from_this(), id, step](outcome result) {
                         self->answered(id, step, std::move(result));
                       }};
    x.attempt = asked.start({models.usable.at(step.model), x.request, step.without}, std::move(events));
  }

  void answered(exchange_id id, const send_step& step, outcome result) {
    auto found = open.find(id);
    if (found == open.end()) return;
    if (result) {
      routes.succeeded(step.model);
      return finish(id, std::move(result));
    }
    found->second.attempt = 0;
    routes.failed(found->second.route, step, result.error(), loop_clock::now());
    if (found->second.events.failed) found->second.events.failed(result.error());
    advance(id);
  }

  void cancel(exchange_id id) {
    auto found = open.find(id);
    if (found == open.end()) return;
    if (found->second.attempt != 0) return asked.cancel(found->second.attempt);
    finish(id, tl::unexpected{cancelled_failure()});
  }

  void finish(exchange_id id, outcome result) {
    auto node = open.extract(id);
    if (!node.empty()) node.mapped().events.done(std::move(result));
  }

  void close() {
    for (auto& [id, x] : open)
      if (x.attempt != 0) asked.cancel(x.attempt);
    while (!open.empty()) finish(open.begin()->first, tl::unexpected{cancelled_failure()});
  }

  http_loop& loop;
  client asked;
  model_list models;
  router routes;
  std::map<exchange_id, open_exchange> open;
  std::atomic<exchange_id> last_id{0};
};

exchanges::exchanges(http_loop& loop, const configs::llm_options& options, model_list models,
                     std::function<double()> random)
    : state_(std::make_shared<state>(loop, options, std::move(models), std::move(random))) {}

exchanges::~exchanges() {
  std::promise<void> closed;
  state_->loop.run([&] {
    state_->close();
    closed.set_value();
  });
  closed.get_future().wait();
}

exchange_id exchanges::start(std::vector<std::string> models, messages::llm_request request, exchange_events events) {
  auto id = ++state_->last_id;
  state_->loop.run([self = state_, id, models = std::move(models), request = std::move(request),
                    events = std::move(events)]() mutable {
    self->add(id, std::move(models), std::move(request), std::move(events));
  });
  return id;
}

void exchanges::cancel(exchange_id id) {
  state_->loop.run([self = state_, id] { self->cancel(id); });
}

}  // namespace llm_client
