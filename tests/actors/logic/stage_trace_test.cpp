#include "actors/logic/stage_trace.hpp"

#include <doctest/doctest.h>

#include "messages/wire/wire.hpp"

namespace stage_trace_test {

using namespace messages;
using namespace actors::logic;
using namespace std::chrono_literals;

namespace {

fact at(std::chrono::milliseconds when, decltype(fact::content) content, const std::string& job = "relu") {
  fact x{.at = std::chrono::sys_time<std::chrono::milliseconds>{1'000'000ms + when}, .job = {job}};
  x.content = std::move(content);
  return x;
}

stage_result stage(stage_kind kind, const std::string& resource, std::chrono::milliseconds queued,
                   std::chrono::milliseconds elapsed) {
  return {.kind = kind, .outcome = verdict{}, .resource = {resource}, .queued = queued, .elapsed = elapsed};
}

}  // namespace

TEST_CASE("a stage is a span of its resource, its wait a span of its job") {
  std::vector<fact> facts{at(0ms, run_started{}, ""),
                          at(500ms, stage_finished{stage(stage_kind::trace, "local/cpu:0", 100ms, 300ms)}),
                          at(900ms, stage_failed{stage(stage_kind::compile, "local/compiler.cpp", 0ms, 200ms)})};
  auto document = trace_of({"r1"}, facts);
  std::vector<trace_event> spans;
  std::map<std::uint32_t, std::string> rows;
  for (const auto& x : document.events)
    if (x.ph == "X")
      spans.push_back(x);
    else
      rows[x.tid] = x.args.at("name");
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].name == "trace of relu");
  CHECK((spans[0].ts == 200'000 && spans[0].dur == 300'000));
  CHECK(rows[spans[0].tid] == "local/cpu:0");
  CHECK(spans[1].cat == "wait");
  CHECK((spans[1].ts == 100'000 && spans[1].dur == 100'000));
  CHECK(rows[spans[1].tid] == "waits of relu");
  CHECK(rows[spans[2].tid] == "local/compiler.cpp");
  CHECK(wire::to_json(document).find("\"traceEvents\"") != std::string::npos);
}

TEST_CASE("what began before the run's first fact is cut there, and a run without facts has no spans") {
  std::vector<fact> facts{at(0ms, run_started{}, ""),
                          at(10ms, stage_finished{stage(stage_kind::trace, "local/cpu:0", 50ms, 40ms)})};
  for (const auto& x : trace_of({"r1"}, facts).events) CHECK((x.ts >= 0 && x.dur >= 0));
  CHECK(trace_of({"r1"}, {}).events.empty());
}

}  // namespace stage_trace_test
