#pragma once
// The compiler of one DSL on one node.

#include "actors/stage_runner.hpp"
#include "messages/protocols/compiler.hpp"

namespace actors {

struct compiler_options {
  messages::node_name node;
  std::string dsl;
  std::uint32_t slots = 2;              ///< builds side by side
  std::size_t cached_results = 10'000;  ///< by candidate, arch and toolchain
};

messages::compiler_actor spawn_compiler(caf::actor_system& system, const messages::resource_taker_actor& resources,
                                        const messages::progress_taker_actor& progress, const compiler_options& options,
                                        executor_factory make);

}  // namespace actors
