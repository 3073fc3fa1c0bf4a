#pragma once
// Checks options that were set in code by the same keys and constraints that a config is read by.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "configs/section.hpp"

namespace configs {

class options_checker {
public:
  options_checker(std::string path, reading state) : path_(std::move(path)), state_(state) {}

  template <class T, class... C>
  void operator()(std::string_view key, T& x, const C&... constraints) {
    check_value(path_.empty() ? std::string{key} : path_ + "." + std::string{key}, x, constraints...);
  }

  template <class T, class... C>
  void required(std::string_view key, T& x, const C&... constraints) {
    (*this)(key, x, constraints...);
  }

  template <class T, class... C>
  void from(std::string_view key, std::vector<T>& x, const T&, const C&... constraints) {
    (*this)(key, x, constraints...);
  }

  void need(std::string_view, const std::string&) {}

  void check(bool ok, std::string_view key, const std::string& sentence) {
    if (!ok)
      state_.problems.add(
          {}, in_quotes(path_.empty() ? std::string{key} : path_ + "." + std::string{key}) + " " + sentence);
  }
  const known_names& known() const { return state_.known; }

private:
  template <class T, class... C>
  void check_value(const std::string& path, T& x, const C&... constraints) {
    if constexpr (requires { keys_of<T>::visit(*this, x); }) {
      options_checker inner{path, state_};
      keys_of<T>::visit(inner, x);
    } else if constexpr (!named_enum<T>) {
      if (!(constraints.ok(x) && ...))
        state_.problems.add({}, in_quotes(path) + " is " + in_quotes(show(x)) + "; give " + wanted<T>(constraints...));
    }
  }

  template <class T, class... C>
  void check_value(const std::string& path, std::optional<T>& x, const C&... constraints) {
    if (x) check_value(path, *x, constraints...);
  }

  template <class T>
  void check_value(const std::string& path, std::variant<std::string, T>& x) {
    std::visit([&](auto& value) { check_value(path, value); }, x);
  }

  template <class T, class... C>
  void check_value(const std::string& path, std::vector<T>& x, const C&... constraints) {
    for (std::size_t i = 0; i < x.size(); ++i) check_value(path + "[" + std::to_string(i) + "]", x[i], constraints...);
  }

  template <class T, class... C>
  void check_value(const std::string& path, std::map<std::string, T>& x, const C&... constraints) {
    for (auto& [key, value] : x) check_value(path + "." + key, value, constraints...);
  }

  std::string path_;
  reading state_;
};

/// Every problem in one go, as `misconfigured`.
template <class T>
messages::expected<void> check_options(T x, const known_names& known = {}) {
  problem_list problems{""};
  options_checker checker{"", {problems, known}};
  keys_of<T>::visit(checker, x);
  if (!problems.empty()) return tl::unexpected{problems.as_failure()};
  return {};
}

}  // namespace configs
