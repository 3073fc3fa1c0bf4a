// Accidents and attacks, on every record. WIRE_FUZZ=200000 makes many more rounds of it.

#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support/memory_probe.hpp"
#include "tests/support/random_values.hpp"
#include "tests/support/record_kind.hpp"

namespace damaged_input_test {

namespace {

using tests::random_values;

/// Of a message's memory beside the input itself; low, so that what exceeds it is seen.
constexpr wire::limits small{.memory_bytes = 256u << 10};

std::size_t rounds() {
  auto wanted = std::getenv("WIRE_FUZZ");
  return wanted ? std::stoul(wanted) : 10'000;
}

std::string_view text_of(const wire::bytes& x) { return {reinterpret_cast<const char*>(x.data()), x.size()}; }

wire::bytes bytes_of(std::string_view x) {
  auto data = reinterpret_cast<const std::byte*>(x.data());
  return {data, data + x.size()};
}

/// One to three of them.
wire::bytes damaged(wire::bytes x, const wire::bytes& other, random_values& random) {
  for (auto n = 1 + random.below(3); n > 0 && !x.empty(); --n) {
    auto at = random.below(x.size());
    auto here = x.begin() + static_cast<std::ptrdiff_t>(at);
    auto piece = other.begin() + static_cast<std::ptrdiff_t>(random.below(other.size()));
    switch (random.below(7)) {
      case 0: x.resize(at); break;
      case 1: x[at] ^= static_cast<std::byte>(1u << random.below(8)); break;
      case 2: x[at] = static_cast<std::byte>(0xc0 + random.below(32)); break;  // another type
      case 3: x.insert(here, static_cast<std::byte>(random.below(256))); break;
      case 4: x.erase(here); break;
      case 5: std::fill_n(here, std::min<std::size_t>(4, x.size() - at), std::byte{0xff}); break;  // a length
      case 6: x.insert(here, other.begin(), piece); break;
    }
  }
  return x;
}

wire::bytes garbage(random_values& random) {
  wire::bytes x(random.below(64));
  for (auto& b : x) b = static_cast<std::byte>(random.below(256));
  return x;
}

/// Packed and JSON, small where the record can be: damage then hits its structure, not a long text.
std::vector<wire::bytes> samples_of(tests::any_record& x, random_values& random) {
  std::vector<wire::bytes> samples;
  for (int tries = 0; samples.size() < 60; ++tries) {
    x.fill(random);
    for (auto& sample : {x.pack(), bytes_of(x.to_json())})
      if (sample.size() < 2'000 || tries > 60) samples.push_back(sample);
  }
  return samples;
}

struct outcome {
  std::size_t accepted = 0;
  std::size_t greediest = 0;         ///< memory in bytes, beyond a fair share for the input's length
  bool every_error_speaks = true;    ///< and names a problem
  bool accepted_packs_alike = true;  ///< an accepted value is the same after another trip
};

void attack(const wire::bytes& input, tests::any_record& x, tests::any_record& again, outcome& result) {
  std::optional<wire::error> error;
  auto memory = tests::peak_of(
      [&] { error = text_of(input).starts_with('{') ? x.from_json(text_of(input), small) : x.unpack(input, small); });
  auto fair = 40'000 + 4 * small.memory_bytes + 10 * input.size();
  result.greediest = std::max(result.greediest, memory > fair ? memory - fair : 0);
  if (error) {
    result.every_error_speaks &= !error->problem.empty();
    return;
  }
  ++result.accepted;
  auto packed = x.pack();
  result.accepted_packs_alike &= !again.unpack(packed) && again.pack() == packed;
}

}  // namespace

TEST_CASE("damaged input gives an error or a record, and takes little memory") {
  for (const auto& kind : tests::record_kinds()) {
    CAPTURE(kind.name);
    random_values random{3, 2};
    auto x = kind.make(), again = kind.make();
    auto samples = samples_of(*x, random);
    outcome result;
    for (auto left = rounds(); left > 0; --left) {
      const auto& sample = samples[random.below(samples.size())];
      const auto& other = samples[random.below(samples.size())];
      attack(random.below(8) == 0 ? garbage(random) : damaged(sample, other, random), *x, *again, result);
    }
    CHECK(result.greediest == 0);
    CHECK(result.every_error_speaks);
    CHECK(result.accepted_packs_alike);
    CHECK(result.accepted > rounds() / 100);  // else only the outer shell was tested
  }
}

}  // namespace damaged_input_test
