#pragma once
// Groups that are kernels for a device as one launch record, and what recipes put their launches together from.

#include <span>
#include <string>

#include "dsl/recipe.hpp"
#include "messages/records/launch_record.hpp"

namespace dsl {

/// From the tensor's first element to its last.
std::uint64_t extent_bytes(const messages::tensor_spec& x);

/// A parameter that is an address.
messages::kernel_parameter pointer_to(messages::buffer_kind buffer, std::size_t index, std::uint64_t offset = 0);

/// A parameter that is a number: `int64_t`, `float`, ... as the kernel takes it.
template <class T>
messages::kernel_parameter parameter_of(T x) {
  auto bytes = std::as_bytes(std::span{&x, 1});
  return {{bytes.begin(), bytes.end()}, {}};
}

/// The program of these groups without the texts of its kernels: entry, bindings, and the launch record as a source.
/// What one group hands to another and is no output lies in scratch memory, which later groups use again.
/// @param image that of groups which name none
/// Refused (`bad_input`): what bind_arguments and bind_outputs refuse.
messages::expected<program> launch_program(const graph_index& graph, std::span<const group_text> groups,
                                           const std::string& image);

/// The same with its texts: the language's program template, filled with those of all groups, is the source `file`,
/// and the image of groups that name none.
messages::expected<program> launch_program(const language_files& files, const graph_index& graph,
                                           std::span<const group_text> groups, const std::string& file);

}  // namespace dsl
