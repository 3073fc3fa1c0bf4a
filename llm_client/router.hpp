#pragma once
// What is done about a failure: the one retry layer, as plain code. The clock is an argument and randomness a function,
// so a test plays hours in no time. One router serves all requests, since a rate limit, a dead key and a refused
// parameter are facts about servers and not about one request. Not safe from several threads: whoever owns it asks it.
//
//   for (;;) {
//     auto step = router.next(exchange, now);      // send, wait, or the end
//     ...
//     router.failed(exchange, sent, failure, now)  or  router.succeeded(sent.model)
//   }

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "configs/llm_options.hpp"
#include "llm_client/model.hpp"

namespace llm_client {

/// Of a failure's kind.
enum class remedy : std::uint8_t {
  wait,            ///< the same model once more, later; then the next one
  next_model,      ///< waiting does not help
  drop_parameter,  ///< the same at once, without it
  caller,          ///< only who asks can help: a shorter prompt, more tokens
};
remedy remedy_of(messages::llm_failure_kind kind);

using route_time = std::chrono::steady_clock::time_point;

struct send_step {
  std::string model;
  parameter_set without;
};
struct wait_step {
  route_time until;
};
struct end_step {
  messages::llm_failure failure;
};
using route_step = std::variant<send_step, wait_step, end_step>;

/// One request on its way through the models of its list.
class exchange {
public:
  /// @param models not empty
  explicit exchange(std::vector<std::string> models) : models_(std::move(models)) {}
  std::uint32_t attempts() const { return attempts_; }

private:
  friend class router;
  void move_on();
  std::vector<std::string> models_;
  std::size_t at_ = 0;          ///< models before it failed
  std::uint32_t attempts_ = 0;  ///< of all models
  std::uint32_t tries_ = 0;     ///< of the present one
  std::uint32_t waits_ = 0;     ///< in a row, for what other requests learned
  route_time not_before_{};     ///< this request's own pause
  std::optional<messages::llm_failure> last_;
  bool over_ = false;  ///< nothing can be done about the last failure
};

class router {
public:
  /// @param server_of the provider of each model: all models of one share its key
  /// @param random in [0, 1)
  router(configs::llm_retry_options options, std::map<std::string, std::string> server_of,
         std::function<double()> random);

  /// @pre no attempt of the exchange is out
  route_step next(exchange& x, route_time now);

  void failed(exchange& x, const send_step& sent, const messages::llm_failure& failure, route_time now);
  void succeeded(const std::string& model);

  /// Learned by model, so that it can be kept for the next start.
  const std::map<std::string, parameter_set>& refused() const { return refused_; }

private:
  /// Of a model, or of a server with its key.
  struct health {
    std::uint32_t failures = 0;  ///< in a row
    route_time rests_until{};
    bool hopeless = false;  ///< while it rests, others are asked at once
    std::string why;
  };

  /// When one of the list can be asked, and whether it is worth waiting for.
  struct readiness {
    route_time at{};
    bool worth_waiting = true;
  };

  readiness readiness_of(const exchange& x, std::size_t place, route_time now) const;
  route_step send(exchange& x, std::size_t place, route_time now);
  route_step wait(exchange& x, route_time until, route_time now);
  route_step end(exchange& x, route_time now) const;
  std::chrono::milliseconds back_off(std::uint32_t tries);

  void note_failure(const std::string& model, const messages::llm_failure& failure, route_time now);
  void rest(health& x, std::chrono::milliseconds time, bool hopeless, const std::string& why, route_time now);
  void drop(exchange& x, const send_step& sent, const messages::llm_failure& failure);
  void wait_or_move_on(exchange& x, const messages::llm_failure& failure, route_time now);

  configs::llm_retry_options options_;
  std::map<std::string, std::string> server_of_;
  std::function<double()> random_;
  std::map<std::string, health> models_, servers_;
  std::map<std::string, parameter_set> refused_;
};

}  // namespace llm_client
