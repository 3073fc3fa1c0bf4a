#pragma once
// All records behind one interface: a test is compiled once and runs over each of them.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/wire/document.hpp"

namespace tests {

class random_values;

struct field_description {
  std::string_view name;
  std::string_view unit;  ///< suffix that its name must have, "_ms"; empty: it is no time
};

/// What a record says of itself, and what the compiler knows of it.
struct record_description {
  std::string_view type;
  std::size_t members = 0;
  std::vector<field_description> fields;
};

struct enum_description {
  std::string_view type;
  std::vector<std::string_view> names;
  bool last_is_a_value = false;  ///< the last name belongs to an enumerator
  bool one_more_value = false;   ///< there is an enumerator behind the last name
};

struct type_descriptions {
  std::vector<record_description> records;
  std::vector<enum_description> enums;
};

/// A value of one kind of record.
class any_record {
public:
  virtual ~any_record() = default;
  virtual void fill(random_values& random) = 0;
  virtual wire::bytes pack() const = 0;
  virtual std::string to_json(const wire::json_style& style = {}) const = 0;
  virtual std::string content_hash() const = 0;

  /// Replaces the value, or returns why that can't be.
  virtual std::optional<wire::error> unpack(wire::bytes_view input, const wire::limits& limit = {}) = 0;
  virtual std::optional<wire::error> from_json(std::string_view input, const wire::limits& limit = {}) = 0;

  /// @param other of the same kind
  virtual bool equals(const any_record& other) const = 0;

  /// Of this record and of all that it may hold.
  virtual void describe(type_descriptions& out) const = 0;
};

struct record_kind {
  std::string_view name;
  std::unique_ptr<any_record> (*make)();  ///< with its initialisers
};

/// The list of tests/support/record_list.hpp.
std::span<const record_kind> record_kinds();

}  // namespace tests
