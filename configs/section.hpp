#pragma once
// What reading a section needs and does not depend on types; the templates are in section_reader.hpp.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/constraints.hpp"
#include "configs/known_names.hpp"
#include "configs/problems.hpp"
#include "configs/yaml.hpp"

namespace configs {

/// Where a type's keys are said: in its own `keys`; specialised for records that are not ours.
template <class T>
struct keys_of {
  static void visit(auto& k, T& x) requires requires { x.keys(k); }
  { x.keys(k); }
};

/// What a value of the type is called where the config asks for it.
template <class T>
std::string noun_of() {
  if constexpr (named_enum<T>)
    return "one of " + listed(names_of<T>());
  else if constexpr (requires { T::scalar_key; })
    return "a text, or keys with their values";
  else if constexpr (std::is_aggregate_v<T> && !std::same_as<T, byte_size>)
    return "keys with their values";
  else
    return noun<T>();
}

template <class T, class... C>
std::string wanted(const C&... constraints) {
  if constexpr (requires(T & x) { x.emplace_back(); }) {
    return wanted<typename T::value_type>(constraints...) + ", or a list";
  } else {
    auto text = noun_of<T>();
    (constraints.word(text), ...);
    return text;
  }
}

template <class C>
std::string hint_of(const std::string& text, const C& constraint) {
  if constexpr (requires { constraint.hint(text); })
    return constraint.hint(text);
  else
    return {};
}

/// What the readers of one file share.
struct reading {
  problem_list& problems;
  const known_names& known;
};

/// A value and what the file calls it.
struct place {
  const yaml_node& node;
  std::string path;  ///< "devices[0].name"
};

/// The file's root map; nothing, and a problem, where the text is no config.
std::optional<yaml_node> parse_root(std::string_view text, problem_list& problems);

/// A map of one key.
yaml_node alone(const yaml_node& value, std::string_view key);

/// The keys of one map: which were asked for, and the problems with them.
class section_keys {
public:
  section_keys(const yaml_node& map, std::string path, reading state);

  void need(std::string_view key, const std::string& wanted);
  void check(bool ok, std::string_view key, std::string sentence);
  const known_names& known() const { return state_.known; }

  /// Reports the keys that nobody asked for.
  void finish();

protected:
  /// The key's value, if it is there; remembers that it was asked for.
  const yaml_node* take(std::string_view key);

  std::string path_of(std::string_view key) const;
  const reading& state() const { return state_; }

  void wrong(const place& at, const std::string& wanted, const std::string& hint = {});

  static bool readable(const yaml_node& node, bool quotes_allowed);
  void each_key(const place& at, const std::function<void(const std::string&, const place&)>& visit);
  static void each_item(const place& at, const std::function<void(const place&)>& visit);

private:
  void report_repeated(const yaml_node& map, const std::string& path);

  const yaml_node& map_;
  std::string path_;
  reading state_;
  std::size_t problems_before_;
  std::vector<std::string> asked_;
};

}  // namespace configs
