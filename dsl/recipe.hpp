#pragma once
// What a DSL implements in C++: its recipes and how their texts become a program. Pure code: no process, no network;
// the files were read by the registry. Each DSL offers one function that makes its `language`; who builds the program
// lists these functions once, by folder name, and hands them over: nobody else compares names.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/manifest.hpp"
#include "dsl/op_graph.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/device.hpp"
#include "messages/records/failure.hpp"
#include "messages/records/launch_record.hpp"
#include "messages/records/plan.hpp"
#include "messages/records/task.hpp"

namespace dsl {

/// One group of a checked plan. Borrows.
struct group_order {
  const graph_index& graph;
  const messages::plan_group& group;
  const messages::knob_values& knobs;  ///< complete
  const messages::device_info& device;
};

/// The text that computes one group.
struct group_text {
  std::string name;                        ///< the group's
  std::string text;                        ///< a function, as the DSL's program template expects it
  std::vector<std::string> reads;          ///< graph values and nodes of other groups, in the order of its arguments
  std::vector<std::string> writes;         ///< nodes of this group, in the order of its outputs
  std::vector<std::string> includes = {};  ///< support files that the text needs
  bool library = false;                    ///< the text is none of a kernel: it calls a library, in the host's language

  // Of languages whose candidates are launch records; launch_program.hpp joins them to a program's.
  std::vector<messages::launch_operation> launches = {};  ///< argument i is reads[i], output i is writes[i]; none where
                                                          ///< there is nothing to compute
  std::vector<std::uint64_t> scratch = {};                ///< bytes of each buffer; undefined when the group begins
  std::vector<std::string> images = {};  ///< what `launches` name; empty: one image has the kernels of all groups
};

/// One way to compute a group of nodes. Immutable, safe from any thread.
class recipe {
public:
  virtual ~recipe() = default;

  /// As in the manifest.
  virtual std::string_view name() const = 0;

  /// Whether these nodes can be one group; `bad_input` says why not.
  virtual messages::expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const = 0;

  virtual messages::expected<group_text> render(const group_order& order) const = 0;
};

/// Everything of a candidate but its knobs, plan and descent.
struct program {
  messages::candidate_entry entry;
  std::map<std::string, std::string> sources;  ///< path -> text
  std::vector<messages::argument_binding> arguments;
  std::vector<messages::tensor_spec> outputs;
  std::vector<messages::shape_variant> variants = {};  ///< of several shapes: in place of arguments and outputs
};

/// What an export is made of.
struct export_order {
  const messages::candidate_manifest& manifest;
  const std::map<std::string, std::string>& sources;  ///< path -> text, all of the manifest's
  std::string task;                                   ///< its name, for people
  const messages::task* reference = nullptr;          ///< for weights as Model has them; null: they have to be loaded
};

/// One DSL. Immutable, safe from any thread.
class language {
public:
  language(language_files files, std::vector<std::unique_ptr<recipe>> recipes)
      : files_(std::move(files)), recipes_(std::move(recipes)) {}
  language(language&&) = default;
  virtual ~language() = default;

  const language_files& files() const { return files_; }

  /// In the order of the manifest.
  std::span<const std::unique_ptr<recipe>> recipes() const { return recipes_; }

  /// @param groups in the order they run
  /// @param suffix of the function's name and of sources that are not the same for every program; so programs of
  /// several shapes can lie side by side
  virtual messages::expected<program> assemble(const graph_index& graph, std::span<const group_text> groups,
                                               const std::string& suffix) const = 0;

  /// One self-contained Python file with a `ModelNew` that runs without kernelmesh. `bad_input` for an entry that this
  /// DSL does not write.
  virtual messages::expected<std::string> export_candidate(const export_order& order) const = 0;

  const std::string& name() const { return files().manifest.name; }
  const recipe* find(std::string_view recipe_name) const {
    for (const auto& x : recipes())
      if (x->name() == recipe_name) return x.get();
    return nullptr;
  }

protected:
  language_files files_;
  std::vector<std::unique_ptr<recipe>> recipes_;
};

/// What a DSL implements, by the names of its recipes.
using recipe_makers = std::map<std::string, std::unique_ptr<recipe> (*)(const recipe_files&), std::less<>>;

/// The recipes that the manifest names, in its order. Failure: misconfigured, where nothing implements one.
messages::expected<std::vector<std::unique_ptr<recipe>>> implement(const language_files& files,
                                                                   const recipe_makers& makers);

/// A `Language`, which is a `language` with these files and the recipes that they name.
template <class Language>
messages::expected<std::shared_ptr<const language>> implemented(language_files files, const recipe_makers& makers) {
  auto recipes = implement(files, makers);
  if (!recipes) return tl::unexpected{recipes.error()};
  return std::make_shared<const Language>(std::move(files), *std::move(recipes));
}

/// Makes a language of the files of its folder; fails (`misconfigured`) where the manifest names a recipe that has no
/// implementation.
using make_language = messages::expected<std::shared_ptr<const language>> (*)(language_files files);

/// What `make_language` functions the program was built with, by folder name.
using language_makers = std::map<std::string, make_language, std::less<>>;

/// Languages of a registry. DSLs without a maker are left out: they can be judged and written by models, but have no
/// recipes.
class language_set {
public:
  static messages::expected<language_set> make(const registry& from, const language_makers& makers);
  std::shared_ptr<const language> find(std::string_view name) const;  ///< null: none of that name
  std::span<const std::shared_ptr<const language>> languages() const { return languages_; }

private:
  std::vector<std::shared_ptr<const language>> languages_;
};

/// What groups read of the graph's values, in the graph's order.
std::vector<std::string> values_read(const graph_index& graph, std::span<const group_text> groups);

/// C interface arguments: what all groups read from outside, in the graph's order. Refused (`bad_input`): a constant
/// tensor, which no caller can hand over.
messages::expected<std::vector<messages::argument_binding>> bind_arguments(const graph_index& graph,
                                                                           std::span<const group_text> groups);

/// Specs of the graph's outputs. Refused (`bad_input`): an output that no group writes, or one that is returned twice.
messages::expected<std::vector<messages::tensor_spec>> bind_outputs(const graph_index& graph,
                                                                    std::span<const group_text> groups);

}  // namespace dsl
