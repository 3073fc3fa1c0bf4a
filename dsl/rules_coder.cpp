#include "dsl/rules_coder.hpp"

#include <algorithm>
#include <set>

#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"

namespace dsl {

using messages::candidate_manifest;
using messages::code_reply;
using messages::expected;

namespace {

using shapes = std::span<const graph_index>;

expected<program> write_shape(const messages::plan& plan, const messages::device_info& device, const graph_index& graph,
                              const language& language, const std::string& suffix) {
  std::vector<group_text> texts;
  for (const auto& group : plan.groups) {
    auto knobs = complete(language.files().recipe(group.recipe)->manifest, group.knobs);
    auto text = language.find(group.recipe)->render({graph, group, knobs, device});
    if (!text) return tl::unexpected{text.error()};
    texts.push_back(*std::move(text));
  }
  return language.assemble(graph, texts, suffix);
}

bool is_input(const messages::argument_binding& x) { return x.origin == messages::value_origin::input; }

/// Whether a caller can tell from what is read of the inputs which of both is meant.
bool told_apart(const messages::shape_variant& a, const messages::shape_variant& b) {
  auto inputs_of = [](const auto& x) {
    std::vector<messages::argument_binding> inputs;
    std::ranges::copy_if(x.arguments, std::back_inserter(inputs), is_input);
    return inputs;
  };
  return inputs_of(a) != inputs_of(b);
}

/// The program of one more shape beside those of others.
expected<void> add_shape(program& whole, program x) {
  const auto* entry = std::get_if<messages::c_abi_entry>(&x.entry);
  if (!entry)
    return messages::fail(messages::failure_code::bad_input,
                          "not covered: a task with several shapes, which only libraries of C functions can serve");
  messages::shape_variant variant{entry->function, std::move(x.arguments), std::move(x.outputs)};
  auto apart = [&](const auto& y) { return told_apart(y, variant); };
  if (!std::ranges::all_of(whole.variants, apart))
    return messages::fail(messages::failure_code::bad_input,
                          "not covered: shapes that differ only in inputs which are not read");
  if (whole.variants.empty()) whole.entry = x.entry;
  whole.variants.push_back(std::move(variant));
  whole.sources.merge(x.sources);
  return {};
}

/// Programs of several shapes have the shape's number behind their names.
expected<program> write_program(const messages::plan& plan, const messages::device_info& device, shapes graphs,
                                const language& language) {
  if (graphs.size() == 1) return write_shape(plan, device, graphs.front(), language, {});
  program whole;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    auto one = write_shape(plan, device, graphs[i], language, '_' + std::to_string(i));
    if (!one) return one;
    if (auto ok = add_shape(whole, *std::move(one)); !ok) return tl::unexpected{ok.error()};
  }
  return whole;
}

struct written_plan {
  messages::plan plan;
  dsl::program program;
};

/// The k-th neighbour whose program differs from the plan's own and from those before it.
expected<written_plan> write_variation(const messages::code_request& request, shapes graphs, const language& language) {
  const auto& device = request.about.device;
  auto own = write_program(request.plan, device, graphs, language);
  if (!own) return tl::unexpected{own.error()};
  std::set<std::map<std::string, std::string>> seen{own->sources};
  for (auto& plan : knob_neighbours(request.plan, language.files(), device, request.about.seed)) {
    auto program = write_program(plan, device, graphs, language);
    if (!program) return tl::unexpected{program.error()};
    if (!seen.insert(program->sources).second) continue;  // a knob without effect here
    if (seen.size() == request.variation + 1u) return written_plan{std::move(plan), *std::move(program)};
  }
  return messages::fail(messages::failure_code::not_found, "no more variations");
}

expected<written_plan> write_requested(const messages::code_request& request, shapes graphs, const language& language) {
  if (request.variation > 0) return write_variation(request, graphs, language);
  auto program = write_program(request.plan, request.about.device, graphs, language);
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
  manifest.variants = std::move(written.variants);
  manifest.knobs = all_knobs(x.plan, language.files());
  manifest.plan = *std::move(plan);
  if (request.parent) manifest.parents.push_back(identify(*request.parent));
  return manifest;
}

}  // namespace

expected<code_reply> rules_code(const messages::code_request& request, const messages::op_graph& graph,
                                const language& language, const blobs::blob_store& store) {
  return rules_code(request, {&graph, 1}, language, store);
}

expected<code_reply> rules_code(const messages::code_request& request, std::span<const messages::op_graph> graphs,
                                const language& language, const blobs::blob_store& store) {
  for (const auto& graph : graphs)
    if (auto ok = check(graph); !ok) return code_reply{.remark = ok.error().detail};
  std::vector<graph_index> indexes(graphs.begin(), graphs.end());
  for (const auto& index : indexes) {
    auto problems = check_plan(request.plan, index, language, request.about.device);
    if (!problems.empty()) return code_reply{.remark = to_string(problems)};
  }
  auto written = write_requested(request, indexes, language);
  if (!written) return code_reply{.remark = written.error().detail};
  auto manifest = store_program(request, *written, language, store);
  if (!manifest) return tl::unexpected{manifest.error()};
  auto blob = store.put_record(*manifest);
  if (!blob) return tl::unexpected{blob.error()};
  return code_reply{*std::move(manifest), *std::move(blob), written->plan, written->plan.remark};
}

}  // namespace dsl
