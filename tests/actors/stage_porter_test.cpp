#include "actors/stage_porter.hpp"

#include "messages/records/executor_report.hpp"
#include "tests/support/deterministic.hpp"
#include "tests/support/scratch_folder.hpp"

namespace stage_porter_test {

using namespace messages;
using namespace std::literals;

namespace {

/// What was asked of the two actors behind a porter; answered when the test says so, by the actor that was asked.
struct pending_work {
  std::function<void()> due;
  std::vector<std::pair<bring_blobs, caf::typed_response_promise<blobs_there>>> brings;
  std::vector<std::pair<send_blobs, caf::typed_response_promise<blobs_there>>> sends;
  std::vector<std::pair<stage_request, caf::typed_response_promise<stage_result>>> runs;
  std::vector<cancel_stage> cancels;
};

class patient_courier {
public:
  using actor = caf::typed_actor<ask<bring_blobs, blobs_there>, ask<send_blobs, blobs_there>, tell<reminder>>;
  using pointer = actor::stateful_pointer<patient_courier>;
  static inline const char* name = "patient_courier";
  explicit patient_courier(pointer self) : self_(self) {}
  actor::behavior_type start(pending_work* work) {
    return {[this, work](const bring_blobs& x) -> caf::result<blobs_there> {
              return work->brings.emplace_back(x, self_->make_response_promise<blobs_there>()).second;
            },
            [this, work](const send_blobs& x) -> caf::result<blobs_there> {
              return work->sends.emplace_back(x, self_->make_response_promise<blobs_there>()).second;
            },
            [work](const reminder&) { work->due(); }};
  }

private:
  pointer self_;
};

class patient_runner {
public:
  using actor = caf::typed_actor<ask<stage_request, stage_result>, tell<cancel_stage>, tell<reminder>>;
  using pointer = actor::stateful_pointer<patient_runner>;
  static inline const char* name = "patient_runner";
  explicit patient_runner(pointer self) : self_(self) {}
  actor::behavior_type start(pending_work* work) {
    return {[this, work](const stage_request& x) -> caf::result<stage_result> {
              return work->runs.emplace_back(x, self_->make_response_promise<stage_result>()).second;
            },
            [work](const cancel_stage& x) { work->cancels.push_back(x); }, [work](const reminder&) { work->due(); }};
  }

private:
  pointer self_;
};

struct porter : testing::deterministic {
  tests::scratch_folder folder;
  blobs::blob_store store = *blobs::blob_store::open(folder.path());
  pending_work work;
  patient_courier::actor courier = actors::spawn_state<patient_courier>(system, &work);
  patient_runner::actor runner = actors::spawn_state<patient_runner>(system, &work);
  stage_runner_actor front = actors::spawn_stage_porter(system, store, {runner, courier});
  stage_request request{.stage = {"s"}, .attempt = 2, .kind = stage_kind::compile, .task = {"t"}};

  porter() {
    candidate_manifest manifest;
    manifest.sources = {{"kernel.cpp", {"c"}}};
    request.manifest = *store.put_record(manifest);
  }
  ~porter() {
    self->send_exit(front, caf::exit_reason::user_shutdown);
    self->send_exit(runner, caf::exit_reason::user_shutdown);
    self->send_exit(courier, caf::exit_reason::user_shutdown);
    run();
  }
  auto ask() {
    auto pending = self->request(front, 60min, request);
    run();
    return pending;
  }
  /// A promise is delivered by the actor that made it.
  template <class Actor, class Promise, class Outcome>
  void answer(const Actor& as, Promise& promise, Outcome outcome) {
    work.due = [&] { promise.deliver(std::move(outcome)); };
    self->send(as, reminder{});
    run();
  }
  template <class Outcome = blobs_there>
  void arrive(std::size_t i, Outcome outcome = {}) {
    answer(courier, work.brings.at(i).second, std::move(outcome));
  }
  template <class Outcome = blobs_there>
  void get_there(std::size_t i, Outcome outcome = {}) {
    answer(courier, work.sends.at(i).second, std::move(outcome));
  }
  stage_result result(stage_outcome outcome) const {
    return {{"s"}, 2, stage_kind::compile, {}, std::move(outcome), {}};
  }
  void end(std::size_t i, stage_outcome outcome) { answer(runner, work.runs.at(i).second, result(std::move(outcome))); }
};

const verdict built{compiled{{"artifact"}, 1, "g++", false}};

}  // namespace

TEST_CASE_FIXTURE(porter,
                  "a stage begins when its blobs are here, its manifest's too, and ends when its own are there") {
  auto pending = ask();
  CHECK(work.brings.at(0).first.hashes.size() == 2);  // task and manifest
  CHECK(work.runs.empty());
  arrive(0);
  CHECK(work.brings.at(1).first.hashes == std::vector<blob_hash>{{"c"}});
  arrive(1);
  REQUIRE(work.runs.size() == 1);
  CHECK(work.runs[0].first == request);
  end(0, built);
  CHECK(work.sends.at(0).first.hashes == std::vector<blob_hash>{{"artifact"}});
  get_there(0);
  CHECK(answer_to<stage_result>(pending) == result(built));
}

TEST_CASE_FIXTURE(porter, "blobs that do not come, or do not get there, are failures of the machinery") {
  auto first = ask();
  arrive(0, to_error({failure_code::not_found, "blob t is not there"}));
  CHECK(answer_to<stage_result>(first) == result(failure{failure_code::not_found, "blob t is not there"}));
  auto second = ask();
  arrive(1), arrive(2);
  end(0, built);
  get_there(0, to_error({failure_code::storage, "disk full"}));
  CHECK(answer_to<stage_result>(second) == result(failure{failure_code::storage, "disk full"}));
}

TEST_CASE_FIXTURE(porter, "a stage is cancelled while its blobs come, or by its runner, and may come again") {
  auto first = ask();
  self->send(front, cancel_stage{{"s"}});
  CHECK(answer_to<stage_result>(first) == result(cancelled{}));
  CHECK(work.cancels.empty());
  auto again = ask();
  arrive(0);  // of the one before
  CHECK(work.brings.size() == 2);
  arrive(1), arrive(2);
  self->send(front, cancel_stage{{"s"}});
  run();
  CHECK(work.cancels == std::vector<cancel_stage>{{{"s"}}});
  end(0, cancelled{});
  get_there(0);
  CHECK(answer_to<stage_result>(again) == result(cancelled{}));
}

TEST_CASE_FIXTURE(porter, "a porter that ends gives up what runs and answers who waits") {
  auto pending = ask();
  arrive(0), arrive(1);
  self->send_exit(front, caf::exit_reason::user_shutdown);
  CHECK(answer_to<stage_result>(pending).error().code == failure_code::actor_lost);
  CHECK(work.cancels.size() == 1);
}

}  // namespace stage_porter_test
