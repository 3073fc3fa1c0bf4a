#include "devices/simulated/simulated_compiler.hpp"

#include "devices/simulated/simulated_executor.hpp"

namespace devices::simulated {

using messages::failure;
using messages::failure_code;
using messages::stage_kind;
using messages::stage_outcome;

namespace {

constexpr auto toolchain = "simulated 1";

class compiler_craft {
public:
  compiler_craft(const blobs::blob_store& store, const simulated_compiler_options& options)
      : store_(store), options_(options), world_(options.world) {}

  stage_outcome operator()(const messages::stage_request& request) const {
    if (request.kind == stage_kind::static_check) return messages::verdict{messages::statically_checked{}};
    if (request.kind == stage_kind::compile) return compile(request.candidate);
    return failure{failure_code::no_resource, "the compiler of " + options_.dsl + " takes compile and static only"};
  }

private:
  stage_outcome compile(const messages::candidate_id& candidate) const {
    if (world_.has_compile_error(candidate))
      return messages::verdict{messages::rejected{{.stage = messages::failure_stage::compile,
                                                   .kind = messages::failure_kind::compile_error,
                                                   .message = "kernel.cpp:1:1: error: as simulated",
                                                   .details = {{"log", "kernel.cpp:1:1: error: as simulated\n"}}},
                                                  {},
                                                  {}}};
    auto content = "simulated artifact of candidate " + candidate.value;
    auto artifact = store_.put(content);
    if (!artifact) return artifact.error();
    return messages::verdict{
        messages::compiled{.artifact = *artifact, .size_bytes = content.size(), .toolchain = toolchain}};
  }

  blobs::blob_store store_;
  simulated_compiler_options options_;
  simulation world_;
};

}  // namespace

messages::expected<std::unique_ptr<executor>> make_simulated_compiler(const blobs::blob_store& store, timer& time,
                                                                      const simulated_compiler_options& options) {
  if (auto valid = options.validate(); !valid) return tl::unexpected{valid.error()};
  return std::make_unique<simulated_executor>(options.world, "compiler of " + options.dsl, toolchain, time,
                                              compiler_craft{store, options});
}

}  // namespace devices::simulated
