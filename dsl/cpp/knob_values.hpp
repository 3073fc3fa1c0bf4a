#pragma once
// Knobs that several recipes read; of complete knobs.

#include <string>

#include "dsl/c_printer.hpp"
#include "messages/records/plan.hpp"

namespace dsl::cpp {

inline std::string word_knob(const messages::knob_values& knobs, const char* name) {
  return std::get<std::string>(knobs.at(name));
}
inline std::int64_t whole_knob(const messages::knob_values& knobs, const char* name) {
  return std::get<std::int64_t>(knobs.at(name));
}

/// The knob "math".
inline math functions(const messages::knob_values& knobs) {
  return word_knob(knobs, "math") == "plain" ? math::plain : math::vector;
}

}  // namespace dsl::cpp
