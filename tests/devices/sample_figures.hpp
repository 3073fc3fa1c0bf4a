#pragma once
// Figures of a candidate without a fault, for tests that change one thing.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "devices/verdict_rules.hpp"

namespace devices {

using namespace messages;

inline tensor_spec spec(std::vector<std::int64_t> shape = {2, 3}, std::vector<std::int64_t> strides = {3, 1}) {
  return {dtype::float32, std::move(shape), std::move(strides)};
}

inline output_figures good_output() {
  return {.expected_type = "torch.Tensor",
          .got_type = "torch.Tensor",
          .expected_device = "cpu",
          .got_device = "cpu",
          .expected = spec(),
          .got = spec(),
          .elements = 6,
          .max_abs = 2e-7,
          .max_rel = 3e-7,
          .rms = 1e-7,
          .reference_rms = 1,
          .eager_max_abs = 1e-7,
          .eager_rms = 1e-7};
}

inline draw_figures good_draw(const std::string& kind) {
  return {.seed = "5eed", .kind = kind, .expected_outputs = 1, .got_outputs = 1, .outputs = {good_output()}};
}

inline verify_figures good_verify() {
  return {.draws = {good_draw("own"), good_draw("signed"), good_draw("scaled_up")}, .sandbox = "namespaces"};
}

inline time_figures good_time() {
  return {.candidate_ns = {1e6, 1e6, 1e6, 2e6, 1e6, 1e6, 1e6},
          .baseline_ns = {{"eager", {2e6, 2e6, 2e6, 4e6, 2e6, 2e6, 2e6}}},
          .repeat_ns = {2e6, 2.02e6, 1.98e6, 4e6, 2e6, 2e6, 2e6},
          .checked = {good_draw("own")},
          .floor_bytes = 1'000'000};
}

inline kernel_failure failure_in(const verify_conclusion& x) {
  REQUIRE(std::holds_alternative<rejected>(x));
  return std::get<rejected>(x).failure;
}

inline kernel_failure failure_in(const time_conclusion& x) {
  REQUIRE(std::holds_alternative<rejected>(x));
  return std::get<rejected>(x).failure;
}

}  // namespace devices
