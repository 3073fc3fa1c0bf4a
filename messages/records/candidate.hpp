#ifndef KERNELMESH_MESSAGES_RECORDS_CANDIDATE_HPP
#define KERNELMESH_MESSAGES_RECORDS_CANDIDATE_HPP
// One program for one plan in one DSL: version 1 of the candidate manifest. The JSON form is documented in
// dsl/FORMS.md.

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/ids.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/plan.hpp"
#include "messages/records/tensor.hpp"

namespace messages {

// -- the three kinds of entry -----------------------------------------------------------------------------------------

/// A library with a C function of the form that devices/worker/kernelmesh_abi.h declares.
struct c_abi_entry {
  static constexpr auto wire_name = "c_abi";
  std::uint32_t abi = 1;
  std::string function = "kernelmesh_run";

  void fields(auto& f) {
    f("abi", abi);
    f("function", function);
  }
  friend bool operator==(const c_abi_entry&, const c_abi_entry&) = default;
};

/// Binaries with their launches, recorded or written by a compiler.
struct launch_record_entry {
  static constexpr auto wire_name = "launch_record";
  std::string record = "launches.json";  ///< the source that holds them

  void fields(auto& f) { f("record", record); }
  friend bool operator==(const launch_record_entry&, const launch_record_entry&) = default;
};

/// A Python file with a module that takes the reference's place.
struct python_host_entry {
  static constexpr auto wire_name = "python_host";
  std::string file = "model.py";
  std::string symbol = "ModelNew";

  void fields(auto& f) {
    f("file", file);
    f("symbol", symbol);
  }
  friend bool operator==(const python_host_entry&, const python_host_entry&) = default;
};

using candidate_entry = std::variant<c_abi_entry, launch_record_entry, python_host_entry>;

// -- what it consists of ----------------------------------------------------------------------------------------------

struct source_file {
  std::string path;  ///< relative, no ".."
  blob_hash blob;

  void fields(auto& f) {
    f("path", path);
    f("blob", blob);
  }
  friend bool operator==(const source_file&, const source_file&) = default;
};

/// Which tensor of the task is the entry's next argument; of c_abi and launch_record only.
struct argument_binding {
  value_origin origin = value_origin::input;
  std::uint32_t index = 0;  ///< of an input
  std::string path;         ///< of a parameter or buffer
  tensor_spec spec;

  void fields(auto& f) {
    f("origin", origin);
    f("index", index);
    f("path", path);
    f("spec", spec);
  }
  friend bool operator==(const argument_binding&, const argument_binding&) = default;
};

/// What a c_abi candidate has for one shape of a task that has several.
struct shape_variant {
  std::string function;  ///< of the entry's library
  std::vector<argument_binding> arguments;
  std::vector<tensor_spec> outputs;

  void fields(auto& f) {
    f("function", function);
    f("arguments", arguments);
    f("outputs", outputs);
  }
  friend bool operator==(const shape_variant&, const shape_variant&) = default;
};

enum class candidate_origin : std::uint8_t { rules, llm, tuner, migration, imported };
constexpr auto enum_names(candidate_origin) {
  return std::to_array<std::string_view>({"rules", "llm", "tuner", "migration", "imported"});
}

struct candidate_manifest {
  std::uint32_t version = 1;
  std::string dsl;  ///< name of a DSL's manifest; "imported" candidates say what they are written in, as far as known
  candidate_entry entry;
  std::vector<source_file> sources;
  std::vector<argument_binding> arguments;
  std::vector<tensor_spec> outputs;     ///< what the judge allocates for c_abi and launch_record
  std::vector<shape_variant> variants;  ///< one a shape in the task's order, in place of arguments and outputs; or none
  knob_values knobs;                    ///< all of them, defaults too; groups' names before the dot: "g0.block"
  blob_hash plan;                       ///< none for imported ones
  std::vector<candidate_id> parents;
  candidate_origin origin = candidate_origin::rules;

  void fields(auto& f) {
    f("version", version);
    f("dsl", dsl);
    f("entry", entry);
    f("sources", sources);
    f("arguments", arguments);
    f("outputs", outputs);
    f("variants", variants);
    f("knobs", knobs);
    f("plan", plan);
    f("parents", parents);
    f("origin", origin);
  }
  friend bool operator==(const candidate_manifest&, const candidate_manifest&) = default;
};

/// Content hash of what the program is: parents, origin and plan do not count, so equal programs are one candidate.
candidate_id identify(const candidate_manifest& x);

}  // namespace messages

#endif
