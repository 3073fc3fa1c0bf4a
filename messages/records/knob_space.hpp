#ifndef KERNELMESH_MESSAGES_RECORDS_KNOB_SPACE_HPP
#define KERNELMESH_MESSAGES_RECORDS_KNOB_SPACE_HPP
// What can be chosen: the knobs of a recipe with the values that a device leaves, and which of them go together.

#include <string>
#include <vector>

#include "messages/records/plan.hpp"

namespace messages {

struct knob_axis {
  std::string name;
  std::vector<knob_value> values;  ///< those within the device's limits
  bool ordered = true;             ///< neighbours in the list are alike; words are not
  knob_value standard;             ///< what a plan that leaves it out gets

  void fields(auto& f) {
    f("name", name);
    f("values", values);
    f("ordered", ordered);
    f("standard", standard);
  }
  friend bool operator==(const knob_axis&, const knob_axis&) = default;
};

/// Holds for settings that have all values of `where`. The products of the named knobs add up to `at_most` or less;
/// the first of `multiple` is a multiple of the second. Either list may be empty.
struct knob_rule {
  std::vector<std::vector<std::string>> products;
  double at_most = 0;
  std::vector<std::string> multiple;
  knob_values where;

  void fields(auto& f) {
    f("products", products);
    f("at_most", at_most);
    f("multiple", multiple);
    f("where", where);
  }
  friend bool operator==(const knob_rule&, const knob_rule&) = default;
};

struct knob_space {
  std::vector<knob_axis> axes;
  std::vector<knob_rule> rules;

  void fields(auto& f) {
    f("axes", axes);
    f("rules", rules);
  }
  friend bool operator==(const knob_space&, const knob_space&) = default;
};

/// Whether complete knobs keep the rule. Knobs that are no integers, or not there, break none.
bool keeps(const knob_rule& rule, const knob_values& knobs);

}  // namespace messages

#endif
