#include "tests/support/random_values.hpp"

#include <iterator>

namespace tests {

double random_values::real() {
  using limit = std::numeric_limits<double>;
  constexpr double special[]{0.0, -0.0, limit::infinity(), -limit::infinity(), limit::denorm_min(), limit::max(), 3.0};
  return below(3) == 0 ? special[below(std::size(special))] : std::normal_distribution<>{0, 1e9}(engine_);
}

std::string random_values::text() {
  constexpr std::string_view pieces[]{
      "a", "Z", "0", " ", "\"", "\\", "\n", "\x01", "é", "核", "🚀", "/", ".", "[]", std::string_view{"\0", 1}};
  std::string x;
  for (auto n = below(16) == 0 ? below(100 * longest_) : below(12); n > 0; --n) x += pieces[below(std::size(pieces))];
  return x;
}

wire::bytes random_values::blob() {
  wire::bytes x(below(8) == 0 ? below(70'000) : below(40));
  for (auto& b : x) b = static_cast<std::byte>(engine_());
  return x;
}

}  // namespace tests
