#pragma once
// From a YAML tree to an options struct, strictly. A struct says its keys once:
//
//   struct journal_options {
//     std::chrono::milliseconds commit_window{2};
//     void keys(auto& k) { k("commit_window", commit_window, in_range{0ms, 1000ms}); }
//   };
//
// and every visitor goes over the same keys: section_reader reads them, options_checker (options_checker.hpp) checks
// values that were set in code. What a visitor k offers:
//   k(name, member, constraints...)           the default stays where the key is absent
//   k.required(name, member, constraints...)  absent is a problem
//   k.need(name, wanted)                      absent is a problem
//   k.from(name, list, prototype, ...)        a list whose elements start as the prototype
//   k.check(ok, name, sentence)               about several keys; skipped after other problems of the section
//   k.known()                                 names from outside
// Members are scalars (scalars.hpp), enums with names, structs with keys, and vectors, maps and optionals of them, and
// variants of a text and a struct. A scalar is taken as a list of one. A struct with a `scalar_key` may be written as
// that key's value alone; one with a `position at` learns where it stands.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "configs/constraints.hpp"
#include "configs/known_names.hpp"
#include "configs/section.hpp"

namespace configs {

template <class T>
concept section = requires(T& x, class section_reader& k) {
  keys_of<T>::visit(k, x);
};

/// The keys of one map. Problems go to `reading`; `finish` reports keys that nobody asked for.
class section_reader : public section_keys {
public:
  using section_keys::section_keys;

  template <class T, class... C>
  void operator()(std::string_view key, T& x, const C&... constraints) {
    if (auto* node = take(key)) read({*node, path_of(key)}, x, constraints...);
  }

  template <class T, class... C>
  void required(std::string_view key, T& x, const C&... constraints) {
    need(key, wanted<T>(constraints...));
    (*this)(key, x, constraints...);
  }

  template <class T, class... C>
  void from(std::string_view key, std::vector<T>& x, const T& prototype, const C&... constraints) {
    if (auto* node = take(key)) read_list({*node, path_of(key)}, x, prototype, constraints...);
  }

private:
  template <class T, class... C>
  void read(const place& at, T& x, const C&... constraints) {
    if constexpr (section<T>)
      read_section(at, x);
    else if constexpr (named_enum<T>)
      read_enum(at, x);
    else
      read_scalar(at, x, constraints...);
  }

  template <class T, class... C>
  void read(const place& at, std::optional<T>& x, const C&... constraints) {
    T value{};
    read(at, value, constraints...);
    x = std::move(value);
  }

  template <class T>
  void read(const place& at, std::variant<std::string, T>& x) {
    if (at.node.kind == yaml_kind::map) return read(at, x.template emplace<T>());
    read(at, x.template emplace<std::string>(), not_empty{});
  }

  template <class T, class... C>
  void read(const place& at, std::vector<T>& x, const C&... constraints) {
    constexpr bool none_is_fine = (std::same_as<C, may_be_empty> || ...);
    if (none_is_fine && at.node.kind == yaml_kind::list && at.node.items.empty()) return x.clear();
    read_list(at, x, T{}, constraints...);
  }

  template <class T, class... C>
  void read(const place& at, std::map<std::string, T>& x, const C&... constraints) {
    if (at.node.kind != yaml_kind::map) return wrong(at, "names with their values");
    x.clear();
    each_key(at, [&](const std::string& key, const place& value) { read(value, x[key], constraints...); });
  }

  template <class T, class... C>
  void read_list(const place& at, std::vector<T>& x, const T& prototype, const C&... constraints) {
    if (at.node.kind == yaml_kind::null) return wrong(at, "a list" + std::string{" of "} + noun_of<T>());
    x.clear();
    each_item(at, [&](const place& item) { read(item, x.emplace_back(prototype), constraints...); });
    if (x.empty()) wrong(at, "a list that is not empty");
  }

  template <class T>
  void read_section(const place& at, T& x) {
    if constexpr (requires { x.at; }) x.at = at.node.at;
    if constexpr (requires { T::scalar_key; }) {
      if (at.node.kind == yaml_kind::scalar) return read_keys(alone(at.node, T::scalar_key), at.path, x);
    }
    // All keys of a section may be commented out.
    if (at.node.kind != yaml_kind::map && at.node.kind != yaml_kind::null) return wrong(at, noun_of<T>());
    read_keys(at.node, at.path, x);
  }

  template <class T>
  void read_keys(const yaml_node& map, const std::string& path, T& x) {
    section_reader inner{map, path, state()};
    keys_of<T>::visit(inner, x);
    inner.finish();
  }

  template <class T>
  void read_enum(const place& at, T& x) {
    auto names = names_of<T>();
    std::string name;
    read_scalar(at, name, one_of{names});
    auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) x = static_cast<T>(found - names.begin());
  }

  template <class T, class... C>
  void read_scalar(const place& at, T& x, const C&... constraints) {
    T value{};
    if (readable(at.node, may_be_quoted<T>) && parse_scalar(at.node.text, value) && (constraints.ok(value) && ...))
      x = std::move(value);
    else
      wrong(at, wanted<T>(constraints...), (std::string{} + ... + hint_of(at.node.text, constraints)));
  }
};

/// A whole file's text into an options struct that starts as `x`; every problem in one go, as `misconfigured`.
/// @param file as the user named it
template <class T>
messages::expected<T> read_yaml(std::string_view text, const std::string& file, const known_names& known = {},
                                T x = {}) {
  problem_list problems{file};
  if (auto root = parse_root(text, problems)) {
    section_reader reader{*root, "", {problems, known}};
    keys_of<T>::visit(reader, x);
    reader.finish();
  }
  if (!problems.empty()) return tl::unexpected{problems.as_failure()};
  return x;
}

}  // namespace configs
