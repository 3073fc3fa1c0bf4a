#pragma once
// Fills any record with random values, by the same fields() that puts it on the wire.

#include <random>

#include "messages/wire/codec.hpp"

namespace tests {

class random_values {
public:
  /// Without NaN, so that == can be trusted. @param longest of vectors and maps, in elements; deeper ones are shorter
  explicit random_values(std::uint64_t seed, std::size_t longest = 4) : engine_(seed), longest_(longest) {}

  std::uint64_t bits() { return engine_(); }
  std::size_t below(std::size_t n) { return engine_() % n; }
  std::uint64_t any_magnitude() { return engine_() >> below(64); }
  double real();
  std::string text();
  wire::bytes blob();

  void fill(bool& x) { x = below(2) != 0; }
  template <std::integral T>
  void fill(T& x) {
    x = static_cast<T>(any_magnitude());
    if (below(16) == 0) x = below(2) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  void fill(double& x) { x = real(); }
  void fill(std::string& x) { x = text(); }
  void fill(wire::bytes& x) { x = blob(); }
  template <wire::named_enum T>
  void fill(T& x) {
    x = static_cast<T>(below(enum_names(x).size()));
  }
  template <wire::strong_id T>
  void fill(T& x) {
    fill(x.value);
  }
  template <class Rep, class Period>
  void fill(std::chrono::duration<Rep, Period>& x) {
    Rep count{};
    fill(count);
    x = std::chrono::duration<Rep, Period>{count};
  }
  template <class Duration>
  void fill(std::chrono::sys_time<Duration>& x) {
    Duration since{};
    fill(since);
    x = std::chrono::sys_time<Duration>{since};
  }
  template <class T>
  void fill(std::optional<T>& x) {
    x.reset();
    if (below(2)) fill(x.emplace());
  }
  template <class T>
  void fill(std::vector<T>& xs) {
    xs.resize(length());
    for (auto& x : xs) fill(x);
  }
  template <class T>
  void fill(std::map<std::string, T>& xs) {
    xs.clear();
    for (auto n = length(); n > 0; --n) fill(xs[text()]);
  }
  template <class... Ts>
  void fill(std::variant<Ts...>& x) {
    auto chosen = below(sizeof...(Ts));
    std::size_t i = 0;
    ((i++ == chosen ? fill(x.template emplace<Ts>()) : void()), ...);
  }
  template <wire::record T>
  void fill(T& x) {
    ++depth_;
    filler field{*this};
    x.fields(field);
    --depth_;
  }

private:
  struct filler {
    random_values& random;
    template <class T>
    void operator()(std::string_view, T& x) {
      random.fill(x);
    }
  };

  /// Records within records within records: without an end to it, some would grow to megabytes.
  std::size_t length() { return below(depth_ < longest_ ? longest_ - depth_ + 2 : 2); }

  std::mt19937_64 engine_;
  std::size_t longest_;
  std::size_t depth_ = 0;
};

}  // namespace tests
