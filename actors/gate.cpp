#include "actors/gate.hpp"

namespace actors {

using namespace messages;

expected<gate> open_gate(const node_options& options) {
  const auto& listen = options.config.listen;
  auto endpoint = links::endpoint_of(listen.address);
  if (!endpoint) return fail(failure_code::misconfigured, "listen: " + endpoint.error().detail);
  links::key_folder keys{certs_folder(options.state_folder)};
  if (!links::is_loopback(*endpoint) && keys.nodes().empty())
    return fail(failure_code::misconfigured,
                "listen: others can reach " + listen.address
                    + ", and there are no keys yet: make one with `kernelmesh certs new NAME`, or listen on 127.0.0.1");
  auto own = keys.own();
  if (!own) return tl::unexpected{own.error()};
  auto outlet = std::make_shared<event_outlet>();
  links::link_options link{
      .address = *endpoint, .keys = *own, .role = links::coordinator_role{}, .build = options.build};
  link.role = links::coordinator_role{links::admission_by(keys)};
  link.heartbeat = listen.heartbeat;
  link.silence = listen.silence;
  link.on_event = [outlet](const link_event& x) { outlet->tell(x); };
  auto opened = links::link::open(link);
  if (!opened) return fail(opened.error().code, "listen: " + opened.error().detail);
  return gate{std::move(*opened), outlet};
}

}  // namespace actors
