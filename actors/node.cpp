#include "actors/node_tree.hpp"

namespace actors {

using namespace messages;

namespace {

const caf::duration soon{std::chrono::seconds{60}};

/// @param limit of the wait
template <class Reply, class Handle, class Request>
expected<Reply> ask(caf::actor_system& system, const Handle& whom, Request request, caf::duration limit) {
  caf::scoped_actor self{system};
  expected<Reply> result = fail(failure_code::actor_lost, "it did not answer");
  self->request(whom, limit, std::move(request))
      .receive([&](Reply& reply) { result = std::move(reply); },
               [&](caf::error& error) { result = tl::unexpected{to_failure(error)}; });
  return result;
}

}  // namespace

node::node(std::unique_ptr<tree> x) : tree_(std::move(x)) {}
node::~node() = default;

expected<run_accepted> node::start_run(const run_spec& spec) {
  return ask<run_accepted>(*tree_->system, tree_->coordinator, messages::start_run{spec}, soon);
}
expected<run_accepted> node::resume_run(const run_id& run) {
  return ask<run_accepted>(*tree_->system, tree_->coordinator, messages::resume_run{run}, soon);
}
expected<run_status> node::await_run(const run_id& run) {
  return ask<run_status>(*tree_->system, tree_->coordinator, messages::await_run{run},
                         caf::duration{std::chrono::minutes{60 * 24 * 365}});
}
expected<status_reply> node::status(const run_id& run) {
  return ask<status_reply>(*tree_->system, tree_->coordinator, status_request{run},
                           caf::duration{std::chrono::seconds{10}});
}
expected<drain_reply> node::drain(const run_id& run) {
  return ask<drain_reply>(*tree_->system, tree_->coordinator, drain_request{run}, soon);
}

expected<stage_result> node::run_stage(const stage_request& request) {
  return ask<stage_result>(*tree_->system, tree_->scheduler, request,
                           caf::duration{request.queue_limit + request.run_limit});
}

const blobs::blob_store& node::store() const { return tree_->place.store; }
std::string node::listens_at() const { return tree_->link ? tree_->link->endpoint() : ""; }
const dsl::language_set& node::languages() const { return *tree_->languages; }

}  // namespace actors
