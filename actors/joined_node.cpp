#include "actors/joined_node.hpp"

#include "actors/blob_depot.hpp"
#include "actors/courier.hpp"
#include "actors/lender.hpp"
#include "actors/monitor.hpp"
#include "actors/proxy.hpp"
#include "actors/system_config.hpp"
#include "actors/workplace.hpp"

namespace actors {

using namespace messages;

struct joined_node::tree {
  explicit tree(blobs::blob_store s) : place(std::move(s)) {}

  workplace place;
  std::unique_ptr<links::link> link;
  system_config config;
  std::optional<caf::actor_system> system;
  monitor_actor monitor;
  blob_depot_actor depot;
  courier_actor courier;
  lender_actor lender;
  std::shared_ptr<lender_actor> told = std::make_shared<lender_actor>();  // of the link's events

  expected<void> plant(const node_options& options, const join_options& join);
  expected<void> dial(const node_options& options, const join_options& join,
                      std::function<void(const link_event&)> on_event);
  ~tree();
};

expected<void> joined_node::tree::dial(const node_options& options, const join_options& join,
                                       std::function<void(const link_event&)> on_event) {
  auto keys = links::pair_of(join.ticket.secret);
  if (!keys) return tl::unexpected{keys.error()};
  links::link_options x{.address = join.ticket.address,
                        .keys = *keys,
                        .role = links::node_role{{options.config.node}, join.ticket.server},
                        .build = options.build};
  x.heartbeat = options.config.listen.heartbeat;
  x.silence = options.config.listen.silence;
  x.on_event = std::move(on_event);
  auto opened = links::link::open(x);
  if (!opened) return tl::unexpected{opened.error()};
  link = std::move(*opened);
  return {};
}

expected<void> joined_node::tree::plant(const node_options& options, const join_options& join) {
  if (auto opened = place.open(options); !opened) return opened;
  auto on_event = [to = told, hear = join.on_link](const link_event& x) {
    caf::anon_send(*to, x);
    hear(x);
  };
  if (auto dialled = dial(options, join, on_event); !dialled) return dialled;
  system.emplace(config);
  node_name here{options.config.node};
  monitor = spawn_monitor(*system, monitor_options_of(options));
  depot = spawn_proxy<blob_depot_actor>(*system, *link, {logic::coordinator_name, blob_depot_name});
  courier = spawn_courier(*system, place.store, {here, depot});
  lender = *told = spawn_lender(*system, place.store, {link.get(), courier});
  if (auto spawned = place.spawn_runners(*system, options, {lender, lender, monitor}); !spawned) return spawned;
  link->start();
  return {};
}

joined_node::tree::~tree() {
  if (link) link->leave({failure_code::interrupted, "it was stopped"});
  if (link) link->close();
  if (!system) return;
  auto end = [](const auto& actor) {
    if (actor) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  };
  end(place.supervisor), end(lender), end(courier), end(depot), end(monitor);
  destroy(place.supervisor), destroy(lender), destroy(*told), destroy(courier), destroy(depot), destroy(monitor);
  system.reset();
}

joined_node::joined_node(std::unique_ptr<tree> x) : tree_(std::move(x)) {}
joined_node::~joined_node() = default;

expected<std::unique_ptr<joined_node>> joined_node::start(const node_options& options, const join_options& join) {
  auto store = blobs::blob_store::open(blobs_folder(options.state_folder));
  if (!store) return tl::unexpected{store.error()};
  auto x = std::make_unique<tree>(std::move(*store));
  if (auto done = x->plant(options, join); !done) return tl::unexpected{done.error()};
  return std::unique_ptr<joined_node>{new joined_node{std::move(x)}};
}

}  // namespace actors
