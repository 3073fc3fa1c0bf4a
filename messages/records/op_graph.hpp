#ifndef KERNELMESH_MESSAGES_RECORDS_OP_GRAPH_HPP
#define KERNELMESH_MESSAGES_RECORDS_OP_GRAPH_HPP
// A task traced to ATen operators: version 1 of the op graph. The JSON form is documented in dsl/FORMS.md.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/tensor.hpp"

namespace messages {

/// Where a value that no operator of the graph makes comes from.
enum class value_origin : std::uint8_t { input, parameter, buffer, constant };
constexpr auto enum_names(value_origin) {
  return std::to_array<std::string_view>({"input", "parameter", "buffer", "constant"});
}

/// A tensor that goes into the graph.
struct graph_value {
  std::string name;  ///< unique in the graph, an identifier
  value_origin origin = value_origin::input;
  std::uint32_t index = 0;  ///< of an input: its place in the list that get_inputs returns
  std::string path;         ///< of a parameter or buffer: its name in the state dict, "linear.weight"
  tensor_spec spec;
  std::optional<double> number;  ///< of a constant of rank 0: its value

  void fields(auto& f) {
    f("name", name);
    f("origin", origin);
    f("index", index);
    f("path", path);
    f("spec", spec);
    f("number", number);
  }
  friend bool operator==(const graph_value&, const graph_value&) = default;
};

// -- arguments of an operator -----------------------------------------------------------------------------------------

struct value_argument {
  static constexpr auto wire_name = "value";
  std::string name;  ///< of a graph value or of the node that makes it
  void fields(auto& f) { f("name", name); }
  friend bool operator==(const value_argument&, const value_argument&) = default;
};
struct values_argument {
  static constexpr auto wire_name = "values";
  std::vector<std::string> names;
  void fields(auto& f) { f("names", names); }
  friend bool operator==(const values_argument&, const values_argument&) = default;
};
struct real_argument {
  static constexpr auto wire_name = "real";
  double number = 0;
  void fields(auto& f) { f("number", number); }
  friend bool operator==(const real_argument&, const real_argument&) = default;
};
struct integer_argument {
  static constexpr auto wire_name = "integer";
  std::int64_t number = 0;
  void fields(auto& f) { f("number", number); }
  friend bool operator==(const integer_argument&, const integer_argument&) = default;
};
struct integers_argument {
  static constexpr auto wire_name = "integers";
  std::vector<std::int64_t> numbers;
  void fields(auto& f) { f("numbers", numbers); }
  friend bool operator==(const integers_argument&, const integers_argument&) = default;
};
struct flag_argument {
  static constexpr auto wire_name = "flag";
  bool on = false;
  void fields(auto& f) { f("on", on); }
  friend bool operator==(const flag_argument&, const flag_argument&) = default;
};
struct text_argument {
  static constexpr auto wire_name = "text";  ///< an enum or string of the schema: "tanh", "float32"
  std::string text;
  void fields(auto& f) { f("text", text); }
  friend bool operator==(const text_argument&, const text_argument&) = default;
};
struct none_argument {
  static constexpr auto wire_name = "none";
  void fields(auto&) {}
  friend bool operator==(const none_argument&, const none_argument&) = default;
};

struct graph_argument {
  std::string name;  ///< as the operator's schema names it: "self", "alpha"
  std::variant<value_argument, values_argument, real_argument, integer_argument, integers_argument, flag_argument,
               text_argument, none_argument>
      content;

  void fields(auto& f) {
    f("name", name);
    f("content", content);
  }
  friend bool operator==(const graph_argument&, const graph_argument&) = default;
};

/// One operator and the tensor it makes. Operators with several results have one node for each result.
struct graph_node {
  std::string name;  ///< of its result, unique in the graph, an identifier
  std::string op;    ///< "aten.relu"
  std::string overload = "default";
  std::uint32_t result = 0;               ///< which of the operator's results this is
  std::vector<graph_argument> arguments;  ///< in the schema's order; those left at their default are absent
  tensor_spec output;
  std::uint64_t flops = 0;

  void fields(auto& f) {
    f("name", name);
    f("op", op);
    f("overload", overload);
    f("result", result);
    f("arguments", arguments);
    f("output", output);
    f("flops", flops);
  }
  friend bool operator==(const graph_node&, const graph_node&) = default;
};

struct op_graph {
  std::uint32_t version = 1;
  std::string task;                  ///< the task's name
  std::vector<graph_value> values;   ///< inputs, parameters, buffers, constants
  std::vector<graph_node> nodes;     ///< each after those it uses
  std::vector<std::string> outputs;  ///< names of nodes or values, in the order forward returns them
  bool training = true;              ///< the module's mode
  std::uint64_t floor_bytes = 0;     ///< inputs, weights read once and outputs written once
  std::uint64_t flops = 0;

  void fields(auto& f) {
    f("version", version);
    f("task", task);
    f("values", values);
    f("nodes", nodes);
    f("outputs", outputs);
    f("training", training);
    f("floor_bytes", floor_bytes);
    f("flops", flops);
  }
  friend bool operator==(const op_graph&, const op_graph&) = default;
};

}  // namespace messages

#endif
