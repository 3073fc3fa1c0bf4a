#pragma once
// The coder without a model: a plan becomes a program through its recipes.

#include <span>

#include "dsl/recipe.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/question.hpp"

namespace dsl {

/// Sources, plan and manifest are put into the store. Variation k is the k-th neighbour of the plan in the order of
/// knob_neighbours, those that give a program already seen left out; after the last one the remark says so. A plan or
/// graph that can't be written gives a reply without a manifest and with a remark; only the store can fail. The same
/// request gives the same candidate.
messages::expected<messages::code_reply> rules_code(const messages::code_request& request,
                                                    const messages::op_graph& graph, const language& language,
                                                    const blobs::blob_store& store);

/// Of a task with several shapes: the plan is written once for each, the functions lie side by side in one library and
/// are the candidate's variants. A program with library calls is not written for several shapes.
/// @param graphs one a shape, at least one
messages::expected<messages::code_reply> rules_code(const messages::code_request& request,
                                                    std::span<const messages::op_graph> graphs,
                                                    const language& language, const blobs::blob_store& store);

}  // namespace dsl
