// Evaluates a whole op graph of pointwise nodes in double, for test_expression_meaning.py. In: {"graph": op graph,
// "operands": {value name: [numbers]}}; out: {"results": {node name: [numbers]}} or {"refused": "why"}.

#include <iostream>
#include <iterator>

#include "dsl/expression.hpp"
#include "messages/wire/wire.hpp"

namespace {

struct question {
  messages::op_graph graph;
  std::map<std::string, std::vector<double>> operands;

  void fields(auto& f) {
    f("graph", graph);
    f("operands", operands);
  }
};

struct answer {
  std::map<std::string, std::vector<double>> results;
  std::string refused;

  void fields(auto& f) {
    f("results", results);
    f("refused", refused);
  }
};

messages::expected<answer> evaluate(const question& asked) {
  if (auto ok = dsl::check(asked.graph); !ok) return tl::unexpected{ok.error()};
  std::vector<std::string> names;
  for (const auto& node : asked.graph.nodes) names.push_back(node.name);
  auto made = dsl::make_expression(dsl::graph_index{asked.graph}, names);
  if (!made) return tl::unexpected{made.error()};
  if (auto ok = dsl::check(made->expression, made->operands.size()); !ok) return tl::unexpected{ok.error()};
  std::vector<std::vector<double>> memory;
  for (const auto& operand : made->operands) memory.push_back(asked.operands.at(operand.value));
  auto values = dsl::evaluate(*made, memory);
  answer out;
  for (std::size_t i = 0; i < values.size(); ++i) out.results[made->results[i].node] = values[i];
  return out;
}

}  // namespace

int main() {
  std::string input{std::istreambuf_iterator<char>{std::cin}, {}};
  auto asked = wire::from_json<question>(input);
  if (!asked) {
    std::cerr << "the question can't be read\n";
    return 2;
  }
  auto out = evaluate(*asked);
  std::cout << wire::to_json(out ? *out : answer{.refused = out.error().detail}) << '\n';
  return 0;
}
