#ifndef KERNELMESH_MESSAGES_RECORDS_PLAN_HPP
#define KERNELMESH_MESSAGES_RECORDS_PLAN_HPP
// How a task is to be computed: version 1 of the plan. It has no field of its own for any language or chip; what can be
// chosen is what the recipe's manifest declares as knobs. The JSON form is documented in dsl/FORMS.md.

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace messages {

/// An integer or a word. In JSON: 256 or "tf32x3".
using knob_value = std::variant<std::int64_t, std::string>;
using knob_values = std::map<std::string, knob_value>;

/// Operators that one kernel computes.
struct plan_group {
  std::string name;                ///< unique in the plan, an identifier
  std::string recipe;              ///< "map", as the DSL's manifest names it
  std::vector<std::string> nodes;  ///< names of the op graph's nodes
  knob_values knobs;               ///< those left out have the recipe's default

  void fields(auto& f) {
    f("name", name);
    f("recipe", recipe);
    f("nodes", nodes);
    f("knobs", knobs);
  }
  friend bool operator==(const plan_group&, const plan_group&) = default;
};

struct plan {
  std::uint32_t version = 1;
  std::string remark;              ///< why it should be good; for people
  std::vector<plan_group> groups;  ///< in the order they run; each node of the graph in exactly one

  void fields(auto& f) {
    f("version", version);
    f("remark", remark);
    f("groups", groups);
  }
  friend bool operator==(const plan&, const plan&) = default;
};

}  // namespace messages

#endif
