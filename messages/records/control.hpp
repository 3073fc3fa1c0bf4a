#ifndef KERNELMESH_MESSAGES_RECORDS_CONTROL_HPP
#define KERNELMESH_MESSAGES_RECORDS_CONTROL_HPP
// What other processes of the same user may ask a running node, through its control socket.

#include <string>
#include <variant>

#include "messages/records/failure.hpp"
#include "messages/records/run.hpp"

namespace messages {

struct control_request {
  std::variant<status_request, drain_request> question;

  void fields(auto& f) { f("question", question); }
  friend bool operator==(const control_request&, const control_request&) = default;
};

struct control_reply {
  std::variant<failure, status_reply, drain_reply> answer;

  void fields(auto& f) { f("answer", answer); }
  friend bool operator==(const control_reply&, const control_reply&) = default;
};

}  // namespace messages

#endif
