#pragma once
// A Triton function with what its launch needs: the arguments it takes, its compile-time numbers, how many programs run
// it. The function's text is a recipe's; what stands beside it in the source's table of kernels is made here.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dsl/mustache.hpp"
#include "dsl/recipe.hpp"
#include "messages/records/launch_record.hpp"

namespace dsl::triton {

/// A pointer that a kernel takes. Alignment to 16 bytes is promised to the compiler.
struct kernel_pointer {
  std::string name;  ///< "x0"
  std::string type;  ///< "*fp32"
  messages::buffer_place place;
};

struct kernel {
  std::string name;  ///< of the function
  std::vector<kernel_pointer> pointers;
  std::vector<std::pair<std::string, std::int64_t>> constants;  ///< tl.constexpr
  std::int64_t programs = 1;
  std::int64_t warps = 4;
  std::int64_t stages = 1;

  /// "x0, y0, BLOCK: tl.constexpr".
  std::string parameters() const;

  /// Keys for the partial "kernel", which is the entry of the table of kernels, and `function` and `parameters`.
  template_data entry() const;

  /// `bad_input` where there are more programs than a grid has.
  messages::expected<messages::launch_operation> launch() const;
};

/// A recipe's template with the language's partials.
messages::expected<std::string> render_kernel(const recipe_files& files, template_data data);

}  // namespace dsl::triton
