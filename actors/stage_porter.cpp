#include "actors/stage_porter.hpp"

#include <map>

#include "actors/logic/blob_references.hpp"
#include "actors/logic/link_protocol.hpp"

namespace actors {

namespace {

using namespace messages;

class stage_porter_state {
public:
  using pointer = stage_runner_actor::stateful_pointer<stage_porter_state>;
  static inline const char* name = "stage_porter";

  explicit stage_porter_state(pointer self) : self_(self) {}
  ~stage_porter_state() {
    for (auto& [stage, x] : open_) {
      if (x.runs) caf::anon_send(options_.runner, cancel_stage{stage});
      deliver(x.promise, tl::unexpected{failure{failure_code::actor_lost, "the node gave it up"}});
    }
  }

  stage_runner_actor::behavior_type start(const blobs::blob_store& store, const stage_porter_options& options) {
    store_ = store;
    options_ = options;
    return {[this](const stage_request& x) { return run(x); }, [this](const cancel_stage& x) { cancel(x); }};
  }

private:
  struct open_stage {
    stage_request request;
    caf::typed_response_promise<stage_result> promise;
    std::uint64_t serial = 0;  // of this run: a stage that was given up may come again
    bool runs = false;
  };

  caf::result<stage_result> run(const stage_request& x) {
    auto promise = self_->make_response_promise<stage_result>();
    auto serial = ++last_serial_;
    if (!open_.try_emplace(x.stage, open_stage{x, promise, serial}).second) {
      deliver(promise, ended(x, failure{failure_code::overloaded, "this stage is here already"}));
      return promise;
    }
    bring(x.stage, serial, logic::blobs_of(x), [this, stage = x.stage, serial] { bring_sources(stage, serial); });
    return promise;
  }

  /// The manifest is here; what it names is not.
  void bring_sources(const stage_id& stage, std::uint64_t serial) {
    auto request = current(stage, serial)->request;
    auto hand_over = [this, stage, serial] { hand_to_runner(stage, serial); };
    if (request.manifest == blob_hash{}) return hand_over();
    auto manifest = store_->get_record<candidate_manifest>(request.manifest);
    if (!manifest) return finish(stage, serial, ended(request, manifest.error()));
    bring(stage, serial, logic::blobs_of(*manifest), hand_over);
  }

  void hand_to_runner(const stage_id& stage, std::uint64_t serial) {
    auto& x = *current(stage, serial);
    x.runs = true;
    auto limit = logic::run_limits_at_most * x.request.run_limit + options_.blobs_limit;
    self_->request(options_.runner, limit, x.request)
        .then([this, stage, serial](const stage_result& result) { take_back(stage, serial, result); },
              [this, stage, serial](const caf::error& error) { fail(stage, serial, to_failure(error)); });
  }

  void take_back(const stage_id& stage, std::uint64_t serial, const stage_result& result) {
    auto x = current(stage, serial);
    if (!x) return;
    x->runs = false;
    auto made = logic::blobs_of(result);
    self_->request(options_.courier, options_.blobs_limit, send_blobs{{made.begin(), made.end()}})
        .then([this, stage, serial, result](const blobs_there&) { finish(stage, serial, result); },
              [this, stage, serial](const caf::error& error) { fail(stage, serial, to_failure(error)); });
  }

  template <class Next>
  void bring(const stage_id& stage, std::uint64_t serial, const std::set<blob_hash>& hashes, Next next) {
    self_->request(options_.courier, options_.blobs_limit, bring_blobs{{hashes.begin(), hashes.end()}})
        .then(
            [this, stage, serial, next](const blobs_there&) {
              if (current(stage, serial)) next();
            },
            [this, stage, serial](const caf::error& error) { fail(stage, serial, to_failure(error)); });
  }

  void cancel(const cancel_stage& x) {
    auto place = open_.find(x.stage);
    if (place == open_.end()) return;
    if (place->second.runs) return self_->send(options_.runner, x);  // its result says how it ended
    finish(x.stage, place->second.serial, ended(place->second.request, cancelled{}));
  }

  open_stage* current(const stage_id& stage, std::uint64_t serial) {
    auto place = open_.find(stage);
    return place != open_.end() && place->second.serial == serial ? &place->second : nullptr;
  }

  static stage_result ended(const stage_request& x, stage_outcome outcome) {
    return {x.stage, x.attempt, x.kind, x.candidate, std::move(outcome), {}};
  }

  void finish(const stage_id& stage, std::uint64_t serial, stage_result result) {
    if (!current(stage, serial)) return;
    deliver(open_.extract(stage).mapped().promise, std::move(result));
  }

  void fail(const stage_id& stage, std::uint64_t serial, failure why) {
    if (auto x = current(stage, serial)) finish(stage, serial, ended(x->request, std::move(why)));
  }

  pointer self_;
  std::optional<blobs::blob_store> store_;
  stage_porter_options options_;
  std::map<stage_id, open_stage> open_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace

stage_runner_actor spawn_stage_porter(caf::actor_system& system, const blobs::blob_store& store,
                                      const stage_porter_options& options) {
  return spawn_state<stage_porter_state>(system, store, options);
}

}  // namespace actors
