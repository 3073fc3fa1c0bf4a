// What the rules make of a judge's answer: reads one worker_reply as MessagePack from standard input and prints the
// conclusion as JSON, {"conclusion": {KIND: {...}}}. The first argument is the judge_options as JSON, {} if left out.
// Exit code 2: an argument or the reply can't be read.

#include <cstdio>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "devices/shape_rules.hpp"
#include "messages/records/worker.hpp"
#include "messages/wire/wire.hpp"

namespace {

/// All that judging can end in; what is not the candidate's is passed on as the worker said it.
struct said {
  std::variant<messages::failure, messages::verified, messages::rejected, messages::timed, messages::task_refused,
               messages::worker_failure>
      conclusion;

  void fields(auto& f) { f("conclusion", conclusion); }
};

said widened(const auto& conclusion) {
  return std::visit([](const auto& x) { return said{x}; }, conclusion);
}

said conclude(const auto& content, const messages::judge_options& options) {
  using content_type = std::decay_t<decltype(content)>;
  if constexpr (std::is_same_v<content_type, messages::verify_done>)
    return widened(devices::conclude_shapes(content, options));
  else if constexpr (std::is_same_v<content_type, messages::time_done>)
    return widened(devices::conclude_shapes(content, options, 0));
  else if constexpr (std::is_constructible_v<decltype(said::conclusion),
                                             content_type> && !std::is_same_v<content_type, messages::worker_hello>)
    return {content};
  else
    return {messages::failure{messages::failure_code::wrong_answer, "No answer to a judge's command."}};
}

std::string all_of_standard_input() {
  return {std::istreambuf_iterator<char>{std::cin}, std::istreambuf_iterator<char>{}};
}

int unreadable(const char* what, const std::string& why) {
  std::fprintf(stderr, "verdict_of: %s: %s\n", what, why.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  auto options = wire::from_json<messages::judge_options>(argc > 1 ? argv[1] : "{}");
  if (!options) return unreadable("options", wire::to_string(options.error()));
  auto input = all_of_standard_input();
  auto reply = wire::unpack<messages::worker_reply>(std::as_bytes(std::span{input}));
  if (!reply) return unreadable("reply", wire::to_string(reply.error()));
  auto x = std::visit([&](const auto& content) { return conclude(content, *options); }, reply->content);
  std::puts(wire::to_json(x).c_str());
}
