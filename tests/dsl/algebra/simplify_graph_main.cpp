// Simplifies an op graph, for test_simplify.py. In: the op graph's JSON, one a line; out, a line each: {"graph": op
// graph, "rules": [names], "floor": {value name: bytes that are read}} or {"refused": "why"}.

#include <iostream>
#include <map>
#include <string>

#include "dsl/algebra/simplify.hpp"
#include "dsl/floor.hpp"
#include "messages/wire/wire.hpp"

namespace {

struct answer {
  messages::op_graph graph;
  std::vector<std::string> rules;
  std::map<std::string, std::uint64_t> read;
  std::uint64_t floor_bytes = 0;  ///< of the graph that was given, counted here
  std::string refused;

  void fields(auto& f) {
    f("graph", graph);
    f("rules", rules);
    f("read", read);
    f("floor_bytes", floor_bytes);
    f("refused", refused);
  }
};

answer simplify(const messages::op_graph& graph) {
  auto x = dsl::algebra::simplify(graph);
  if (!x) return {.refused = x.error().detail};
  answer out{.graph = std::move(x->graph), .rules = std::move(x->rules)};
  for (const auto& [name, bytes] : dsl::floor_of(dsl::graph_index{out.graph}).read) out.read[name] = bytes;
  out.floor_bytes = dsl::floor_of(dsl::graph_index{graph}).bytes;
  return out;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    auto graph = wire::from_json<messages::op_graph>(line);
    std::cout << wire::to_json(graph ? simplify(*graph) : answer{.refused = "no op graph"}) << std::endl;
  }
  return 0;
}
