#pragma once
// What a DSL is: a folder with manifests. Their JSON forms and rules are in MANIFESTS.md, version 1 of both.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/failure.hpp"
#include "messages/records/plan.hpp"

namespace dsl {

// -- a recipe's manifest ----------------------------------------------------------------------------------------------

enum class knob_kind : std::uint8_t { integer, choice };
constexpr auto enum_names(knob_kind) { return std::to_array<std::string_view>({"integer", "choice"}); }

/// value * each <= the device's limit of that name; a device that does not state the limit is not bound by it.
struct knob_bound {
  std::string limit;  ///< "cores", "shared_memory_bytes_a_block"
  double each = 1;

  void fields(auto& f) {
    f("limit", limit);
    f("each", each);
  }
};

struct knob_manifest {
  std::string name;  ///< an identifier
  knob_kind kind = knob_kind::integer;
  std::vector<messages::knob_value> values;  ///< all it may have; integers ascending
  messages::knob_value standard;             ///< in JSON "default": what a plan that leaves it out gets
  std::string meaning;                       ///< one sentence
  std::vector<knob_bound> bounds;            ///< of integers

  void fields(auto& f) {
    f("name", name);
    f("kind", kind);
    f("values", values);
    f("default", standard);
    f("meaning", meaning);
    f("bounds", bounds);
  }
};

/// Which values go together, for plans that have all values of `where`. The products of the named knobs, added up,
/// times `each` are at most the device's limit (one that is not stated does not bind), or `at_most` where no limit is
/// named; the first of `multiple` is a multiple of the second. Integers only.
struct knob_constraint {
  std::vector<std::vector<std::string>> products;  ///< empty: only `multiple` counts
  double each = 1;
  std::string limit;  ///< "shared_memory_bytes_a_block"; empty: at_most
  double at_most = 0;
  std::vector<std::string> multiple;  ///< two knobs, or none
  messages::knob_values where;
  std::string why;  ///< one clause, for whoever made the plan

  void fields(auto& f) {
    f("products", products);
    f("each", each);
    f("limit", limit);
    f("at_most", at_most);
    f("multiple", multiple);
    f("where", where);
    f("why", why);
  }
};

/// Knobs that go well together; those left out have their default.
struct knob_preset {
  std::string name;
  std::string remark;  ///< when it should be good
  messages::knob_values knobs;

  void fields(auto& f) {
    f("name", name);
    f("remark", remark);
    f("knobs", knobs);
  }
};

/// What to change after a failure of some kind; knobs left out stay as they are.
struct knob_remedy {
  std::string why;
  messages::knob_values knobs;

  void fields(auto& f) {
    f("why", why);
    f("knobs", knobs);
  }
};

struct recipe_manifest {
  std::uint32_t version = 1;
  std::string name;           ///< also the folder's name
  std::string covers;         ///< for people and models: which groups it can compute
  std::string template_file;  ///< in JSON "template": in the recipe's folder
  std::vector<knob_manifest> knobs;
  std::vector<knob_constraint> constraints;
  std::vector<knob_preset> presets;                          ///< the most promising first
  std::map<std::string, std::vector<knob_remedy>> remedies;  ///< by kind of failure, in the order to try
  bool yields = false;   ///< a library is faster: kernels of it are the last choice where library calls are allowed
  bool library = false;  ///< it calls a library: only where that is allowed, and for what no other recipe covers

  void fields(auto& f) {
    f("version", version);
    f("name", name);
    f("covers", covers);
    f("template", template_file);
    f("knobs", knobs);
    f("constraints", constraints);
    f("presets", presets);
    f("remedies", remedies);
    f("yields", yields);
    f("library", library);
  }
};

// -- a DSL's manifest -------------------------------------------------------------------------------------------------

struct language_manifest {
  std::uint32_t version = 1;
  std::string name;                             ///< also the folder's name; what `--dsl` takes
  std::string summary;                          ///< one sentence
  std::vector<std::string> devices;             ///< kinds of device it can target: folders of devices/
  std::string extension;                        ///< of its sources, "cu", without a dot
  std::string adapter;                          ///< the Python file that builds candidates
  std::vector<std::string> flags;               ///< of its compiler, beside target and output; exports have them too
  std::string program;                          ///< template that makes one program of the groups' texts
  std::string host;                             ///< template of the Python file that calls a library; empty: none
  std::string exporter;                         ///< in JSON "export": template of the self-contained file; empty: none
  std::vector<std::string> recipes;             ///< folders in recipes/, the most specific first
  std::map<std::string, std::string> support;   ///< path in every candidate -> file to copy it from
  std::map<std::string, std::string> partials;  ///< name -> template file that templates of recipes share
  std::vector<std::string> knowledge;           ///< documents for people and models
  std::vector<std::string> examples;            ///< whole candidates to learn from

  void fields(auto& f) {
    f("version", version);
    f("name", name);
    f("summary", summary);
    f("devices", devices);
    f("extension", extension);
    f("adapter", adapter);
    f("flags", flags);
    f("program", program);
    f("host", host);
    f("export", exporter);
    f("recipes", recipes);
    f("support", support);
    f("partials", partials);
    f("knowledge", knowledge);
    f("examples", examples);
  }
};

// -- what lies on disk ------------------------------------------------------------------------------------------------

/// The first problem is told with file and key: "dsl/cpp/manifest.json: devices: expected array, got string".
/// Codes: `not_found` (no such file), `misconfigured` (all else: unknown or missing key, value out of its rules).
messages::expected<language_manifest> read_language_manifest(const std::filesystem::path& file);
messages::expected<recipe_manifest> read_recipe_manifest(const std::filesystem::path& file);

struct recipe_files {
  recipe_manifest manifest;
  std::filesystem::path folder;
  std::string template_text;
  std::map<std::string, std::string> partials;  ///< the language's: name -> text
};

/// One DSL, read once; every file that the manifest names is there.
struct language_files {
  language_manifest manifest;
  std::filesystem::path folder;  ///< absolute
  std::vector<recipe_files> recipes;
  std::string program_template;
  std::string host_template;
  std::string export_template;
  std::map<std::string, std::string> support;   ///< path in the candidate -> text
  std::map<std::string, std::string> partials;  ///< name -> text

  std::filesystem::path adapter() const { return folder / manifest.adapter; }
  bool targets(std::string_view device_kind) const;
  const recipe_files* recipe(std::string_view name) const;  ///< null: none of that name
};

messages::expected<language_files> load_language(const std::filesystem::path& folder);

/// All DSLs of a folder: its subfolders that hold a manifest.json, by name.
class registry {
public:
  static messages::expected<registry> load(const std::filesystem::path& folder);

  std::span<const language_files> languages() const { return languages_; }
  const language_files* find(std::string_view name) const;  ///< null: none of that name
  std::string names() const;                                ///< "cpp, triton", for messages

private:
  std::vector<language_files> languages_;
};

/// Of a recipe; null: no knob of that name.
const knob_manifest* find_knob(const recipe_manifest& recipe, std::string_view name);

}  // namespace dsl
