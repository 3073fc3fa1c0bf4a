#pragma once
// Which plan of an earlier job a new one starts from. Pure.

#include <optional>

#include "messages/records/device.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/question.hpp"
#include "messages/records/tuned.hpp"

namespace actors::logic {

/// Where plans of graphs with the same operators are kept: on one model of device, in one DSL. Names and sizes of
/// dimensions do not count, ranks and dtypes do.
std::string tuned_key(const messages::op_graph& graph, const std::string& dsl, const messages::device_info& device);

/// The same, shapes included, without device and DSL.
std::string graph_key(const messages::op_graph& graph);

struct known_plan {
  messages::plan plan;  ///< with the names of the new graph
  messages::earlier_plan from;
};

/// The last one of the same shapes, else the one whose graph moves the most similar number of bytes; none of the run
/// itself, which would make its jobs depend on each other's pace.
std::optional<known_plan> choose_earlier(const messages::tuned_plans_file& known, const messages::op_graph& graph,
                                         const messages::run_id& own);

/// One plan a graph and run is kept, `most` in all; the oldest go.
void keep(messages::tuned_plans_file& known, messages::tuned_plan news, std::size_t most);

}  // namespace actors::logic
