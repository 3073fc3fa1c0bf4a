#include "dsl/triton/index_text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace dsl::triton {

namespace {

/// Names in a pointer's type; complex tensors are read by no kernel.
constexpr std::array<std::string_view, 10> short_names{"fp32", "fp16", "bf16", "fp64", "i64",
                                                       "i32",  "i16",  "i8",   "u8",   "u8"};
constexpr std::array<std::string_view, 10> long_names{"float32", "float16", "bfloat16", "float64", "int64",
                                                      "int32",   "int16",   "int8",     "uint8",   "uint8"};

/// Neighbouring dimensions along which a tensor goes on without a gap.
struct run {
  std::int64_t size = 1;
  std::int64_t below = 1;  ///< points of the space for each step along it
  std::int64_t step = 0;
};

std::vector<run> runs_of(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& steps) {
  std::vector<run> runs;  // innermost first
  std::int64_t below = 1;
  for (auto d = sizes.size(); d-- > 0; below *= std::max<std::int64_t>(sizes[d], 1)) {
    if (sizes[d] == 1) continue;
    bool goes_on = !runs.empty() && steps[d] == runs.back().step * runs.back().size;
    if (goes_on) {
      runs.back().size *= sizes[d];
    } else {
      runs.push_back({sizes[d], below, steps[d]});
    }
  }
  return runs;
}

}  // namespace

std::string type_of(messages::dtype x) { return "tl." + std::string{long_names.at(static_cast<std::size_t>(x))}; }

std::string pointer_of(messages::dtype x) { return '*' + std::string{short_names.at(static_cast<std::size_t>(x))}; }

std::string place_text(const std::string& flat, const std::vector<std::int64_t>& sizes,
                       const std::vector<std::int64_t>& steps) {
  auto runs = runs_of(sizes, steps);
  std::string text;
  for (auto i = runs.size(); i-- > 0;) {
    const auto& x = runs[i];
    if (x.step == 0) continue;
    auto index = x.below == 1 ? flat : flat + " // " + std::to_string(x.below);
    if (i + 1 < runs.size()) index = (x.below == 1 ? index : '(' + index + ')') + " % " + std::to_string(x.size);
    if (x.step != 1) index = (index == flat ? index : '(' + index + ')') + " * " + std::to_string(x.step);
    text += (text.empty() ? "" : " + ") + index;
  }
  return text.empty() ? "0" : text;
}

std::int64_t reach_of(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& steps) {
  std::int64_t reach = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) reach += std::max<std::int64_t>(sizes[d] - 1, 0) * std::abs(steps[d]);
  return reach;
}

std::int64_t power_of_two(std::int64_t x) {
  std::int64_t power = 1;
  while (power < x) power *= 2;
  return power;
}

}  // namespace dsl::triton
