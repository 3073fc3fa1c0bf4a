// For tests: asks many requests side by side, each of its own models, and prints what became of each.
//
//     kernelmesh-llm-cases CONFIG.yaml CASES.jsonl
//     kernelmesh-llm-cases CONFIG.yaml --probe
//
// A line of CASES is a fault_case, a line of the output a fault_result. With --probe a line is what a probe says.

#include <algorithm>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <sstream>

#include "configs/system_config.hpp"
#include "llm_client/probe.hpp"
#include "messages/wire/wire.hpp"

namespace {

struct fault_case {
  std::string name;
  std::vector<std::string> models;
  messages::llm_request request;
  bool cancel_on_text = false;  ///< as soon as the first piece is there

  void fields(auto& f) {
    f("name", name);
    f("models", models);
    f("request", request);
    f("cancel_on_text", cancel_on_text);
  }
};

struct fault_result {
  std::string name;
  std::optional<messages::llm_reply> reply;
  std::optional<messages::llm_failure> failure;
  std::vector<std::string> attempts;          ///< the model of each
  std::vector<messages::llm_failure> failed;  ///< one an attempt
  std::uint64_t pieces = 0;
  std::uint64_t done = 0;  ///< how often the end was told
  std::uint64_t total_ms = 0;

  void fields(auto& f) {
    f("name", name);
    f("reply", reply);
    f("failure", failure);
    f("attempts", attempts);
    f("failed", failed);
    f("pieces", pieces);
    f("done", done);
    f("total_ms", total_ms);
  }
};

struct running_case {
  fault_result result;
  std::promise<void> ended;
  std::promise<llm_client::exchange_id> id;
  llm_client::loop_clock::time_point began = llm_client::loop_clock::now();
};

void start_case(llm_client::exchanges& all, const fault_case& x, running_case& to) {
  to.result.name = x.name;
  auto id = std::make_shared<std::shared_future<llm_client::exchange_id>>(to.id.get_future());
  llm_client::exchange_events events;
  events.attempt = [&to](const auto& step) { to.result.attempts.push_back(step.model); };
  events.failed = [&to](const auto& failure) { to.result.failed.push_back(failure); };
  events.text = [&to, &all, id, cancel = x.cancel_on_text](std::string_view) {
    if (to.result.pieces++ == 0 && cancel) all.cancel(id->get());
  };
  events.done = [&to](llm_client::outcome outcome) {
    using std::chrono::milliseconds;
    auto took = std::chrono::duration_cast<milliseconds>(llm_client::loop_clock::now() - to.began);
    to.result.total_ms = static_cast<std::uint64_t>(took.count());
    if (outcome)
      to.result.reply = *std::move(outcome);
    else
      to.result.failure = std::move(outcome.error());
    if (++to.result.done == 1) to.ended.set_value();
  };
  to.id.set_value(all.start(x.models, x.request, std::move(events)));
}

int probe(llm_client::http_loop& loop, const configs::llm_options& options, const llm_client::model_list& models) {
  for (const auto& x : llm_client::probe_models(loop, options, models, [] { return 0.5; }))
    std::cout << (x.answers ? "+ " : "- ") << x.line << '\n';
  return 0;
}

int run(const std::string& config_file, const std::string& cases_file) {
  auto around = configs::surroundings::of_this_process();
  auto config = configs::load_system_config(config_file);
  if (!config) return std::cerr << config.error().detail << '\n', 2;
  auto models = llm_client::load_models(config->llm, {}, around);
  std::mt19937_64 random{7};
  llm_client::http_loop loop;
  if (cases_file == "--probe") return probe(loop, config->llm, models);
  std::vector<std::unique_ptr<running_case>> cases;
  {
    llm_client::exchanges all{loop, config->llm, std::move(models), [&random] {
                                return std::uniform_real_distribution<double>{0, 1}(random);
                              }};
    std::ifstream lines{cases_file};
    for (std::string line; std::getline(lines, line);) {
      auto x = wire::from_json<fault_case>(line);
      if (!x) return std::cerr << wire::to_string(x.error()) << '\n', 2;
      start_case(all, *x, *cases.emplace_back(std::make_unique<running_case>()));
    }
    for (auto& x : cases) x->ended.get_future().wait();
  }
  for (const auto& x : cases) std::cout << wire::to_json(x->result) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return run(argv[1], argv[2]);
  std::cerr << "usage: kernelmesh-llm-cases CONFIG.yaml CASES.jsonl\n";
  return 2;
}
