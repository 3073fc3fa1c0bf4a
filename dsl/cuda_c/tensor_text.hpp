#pragma once
// What recipes say of their tensors: parameters, comments, and how one is reached in a loop over vectors.

#include <string>

#include "dsl/cuda_c/access.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cuda_c {

/// A tensor of a kernel. Borrows its spec.
struct tensor_text {
  std::string id;  ///< "x0" of what is read, "y0" of what is written
  const messages::tensor_spec& spec;
  std::string name;  ///< in the graph

  /// ", const float* __restrict__ x0".
  std::string parameter(bool constant, bool alone) const;

  /// Keys id and what.
  template_data comment() const;
};

/// For the loop over vectors: keys id, type, width, offset (of the vector's number), element (of e), and one flag that
/// is the access's name.
template_data access_data(const tensor_text& x, const way& along, access how, std::int64_t vector,
                          const std::string& number);

/// Without the empty lines that a template's sections leave inside of functions.
std::string without_gaps(std::string_view text);

/// The current element, once it was read: "px0[k].at[j]".
std::string at_hand(const std::string& id, access how);

}  // namespace dsl::cuda_c
