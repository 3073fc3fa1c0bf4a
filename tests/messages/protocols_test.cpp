// Records as messages of actors.

#include <doctest/doctest.h>

#include <set>

#include "messages/protocols/type_ids.hpp"
#include "messages/records/stage.hpp"
#include "tests/support/caf_message.hpp"
#include "tests/support/record_kind.hpp"

namespace protocols_test {

namespace {

struct fixture {
  caf::actor_system_config config;
  caf::actor_system system{config.add_message_type<messages::stage_result>("stage_result")};
};

}  // namespace

TEST_CASE("every message is among the records that the tests run over, once") {
  std::set<std::string_view> names;
  for (const auto& kind : tests::record_kinds())
    CHECK_MESSAGE(names.insert(kind.name).second, kind.name, " is listed twice");
#define KERNELMESH_LISTED(name) CHECK(names.contains(#name));
  KERNELMESH_MESSAGES(KERNELMESH_LISTED)
#undef KERNELMESH_LISTED
}

TEST_CASE("a message prints as JSON, long texts cut") {
  messages::stage_progress x{.stage = {"s"}, .share = 0.5, .text = std::string(1000, 't')};
  auto cut = std::string(200, 't') + "... (1000 bytes)";
  auto expected = "({\"stage\":\"s\",\"attempt\":1,\"share\":0.5,\"text\":\"" + cut + "\"})";
  CHECK(to_string(caf::make_message(x)) == expected);
}

TEST_CASE_FIXTURE(fixture, "CAF refuses to serialise a message instead of losing half of it") {
  std::vector<char> buffer;
  caf::binary_serializer sink{system, buffer};
  auto refused = caf::make_message(messages::stage_result{}).save(sink);
  CHECK(system.render(refused).find("wire::pack only") != std::string::npos);
}

TEST_CASE("a failure travels as a CAF error and comes back as it was") {
  for (std::size_t i = 0; i < enum_names(messages::failure_code{}).size(); ++i) {
    messages::failure x{static_cast<messages::failure_code>(i), "blob 00ff is not there"};
    auto error = messages::to_error(x);
    CHECK(static_cast<bool>(error));
    CHECK(messages::to_failure(error) == x);
  }
}

TEST_CASE("what CAF itself reports becomes a failure with its text") {
  auto code = [](const caf::error& x) { return messages::to_failure(x).code; };
  CHECK(code(caf::sec::request_timeout) == messages::failure_code::deadline_exceeded);
  CHECK(code(caf::sec::request_receiver_down) == messages::failure_code::actor_lost);
  CHECK(code(caf::exit_reason::user_shutdown) == messages::failure_code::actor_lost);
  CHECK(code(caf::sec::runtime_error) == messages::failure_code::unknown);
  CHECK(messages::to_failure(caf::sec::request_timeout).detail.find("request_timeout") != std::string::npos);
}

}  // namespace protocols_test
