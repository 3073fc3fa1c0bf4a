#include "dsl/rules_coder.hpp"

#include <set>

#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"

namespace dsl {

using messages::candidate_manifest;
using messages::code_reply;
using messages::expected;

namespace {

expected<program> write_program(const messages::plan& plan, const messages::device_info& device,
                                const graph_index& graph, const language& language) {
  std::vector<group_text> texts;
  for (const auto& group : plan.groups) {
    auto knobs = complete(language.files().recipe(group.recipe)->manifest, group.knobs);
    auto text = language.find(group.recipe)->render({graph, group, knobs, device});
    if (!text) return tl::unexpected{text.error()};
    texts.push_back(*std::move(text));
  }
  return language.assemble(graph, texts);
}

struct written_plan {
  messages::plan plan;
  dsl::program program;
};

/// The k-th neighbour whose program differs from the plan's own and from those before it.
expected<written_plan> write_variation(const messages::code_request& request, const graph_index& graph,
                                       const language& language) {
  const auto& device = request.about.device;
  auto own = write_program(request.plan, device, graph, language);
  if (!own) return tl::unexpected{own.error()};
  std::set<std::map<std::string, std::string>> seen{own->sources};
  for (auto& plan : knob_neighbours(request.plan, language.files(), device, request.about.seed)) {
    auto program = write_program(plan, device, graph, language);
    if (!program) return tl::unexpected{program.error()};
    if (!seen.insert(program->sources).second) continue;  // a knob without effect here
    if (seen.size() == request.variation + 1u) return written_plan{std::move(plan), *std::move(program)};
  }
  return messages::fail(messages::failure_code::not_found, "no more variations");
}

expected<written_plan> write_requested(const messages::code_request& request, const graph_index& graph,
                                       const language& language) {
  if (request.variation > 0) return write_variation(request, graph, language);
  auto program = write_program(request.plan, request.about.device, graph, language);
  if (!program) return tl::unexpected{program.error()};
  return written_plan{request.plan, *std::move(program)};
}

expected<candidate_manifest> store_program(const messages::code_request& request, written_plan x,
                                           const language& language, const blobs::blob_store& store) {
  candidate_manifest manifest;
  auto& written = x.program;
  for (const auto& [path, text] : written.sources) {
    auto blob = store.put(text);
    if (!blob) return tl::unexpected{blob.error()};
    manifest.sources.push_back({path, *std::move(blob)});
  }
  auto plan = store.put_record(x.plan);
  if (!plan) return tl::unexpected{plan.error()};
  manifest.dsl = language.name();
  manifest.entry = std::move(written.entry);
  manifest.arguments = std::move(written.arguments);
  manifest.outputs = std::move(written.outputs);
  manifest.knobs = all_knobs(x.plan, language.files());
  manifest.plan = *std::move(plan);
  if (request.parent) manifest.parents.push_back(identify(*request.parent));
  return manifest;
}

}  // namespace

expected<code_reply> rules_code(const messages::code_request& request, const messages::op_graph& graph,
                                const language& language, const blobs::blob_store& store) {
  if (auto ok = check(graph); !ok) return code_reply{.remark = ok.error().detail};
  graph_index index{graph};
  auto problems = check_plan(request.plan, index, language, request.about.device);
  if (!problems.empty()) return code_reply{.remark = to_string(problems)};
  auto written = write_requested(request, index, language);
  if (!written) return code_reply{.remark = written.error().detail};
  auto manifest = store_program(request, *written, language, store);
  if (!manifest) return tl::unexpected{manifest.error()};
  auto blob = store.put_record(*manifest);
  if (!blob) return tl::unexpected{blob.error()};
  return code_reply{*std::move(manifest), *std::move(blob), written->plan, written->plan.remark};
}

}  // namespace dsl
