#pragma once
// The third visitor of keys: every key of an options struct with its value as a config would write it.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "configs/section.hpp"

namespace test {

class key_lister {
public:
  explicit key_lister(std::map<std::string, std::string>& out, std::string path = {}) : out_(out), path_(path) {}

  template <class T, class... C>
  void operator()(std::string_view key, T& x, const C&...) {
    list(path_.empty() ? std::string{key} : path_ + "." + std::string{key}, x);
  }
  template <class T, class... C>
  void required(std::string_view key, T& x, const C&...) {
    (*this)(key, x);
  }
  template <class T, class... C>
  void from(std::string_view key, std::vector<T>& x, const T&, const C&...) {
    (*this)(key, x);
  }
  void need(std::string_view, const std::string&) {}
  void check(bool, std::string_view, const std::string&) {}
  const configs::known_names& known() const { return known_; }

private:
  template <class T>
  void list(const std::string& path, T& x) {
    if constexpr (requires { configs::keys_of<T>::visit(*this, x); }) {
      key_lister inner{out_, path};
      configs::keys_of<T>::visit(inner, x);
    } else if constexpr (configs::named_enum<T>) {
      out_[path] = configs::names_of<T>()[static_cast<std::size_t>(x)];
    } else {
      out_[path] = configs::show(x);
    }
  }
  template <class T>
  void list(const std::string& path, std::optional<T>& x) {
    if (x) list(path, *x);
  }
  template <class T>
  void list(const std::string& path, std::variant<std::string, T>& x) {
    std::visit([&](auto& value) { list(path, value); }, x);
  }
  template <class T>
  void list(const std::string& path, std::vector<T>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) list(path + "[" + std::to_string(i) + "]", x[i]);
  }
  template <class T>
  void list(const std::string& path, std::map<std::string, T>& x) {
    for (auto& [key, value] : x) list(path + "." + key, value);
  }

  std::map<std::string, std::string>& out_;
  std::string path_;
  configs::known_names known_;
};

template <class T>
std::map<std::string, std::string> keys_with_values(T x) {
  std::map<std::string, std::string> out;
  key_lister lister{out};
  configs::keys_of<T>::visit(lister, x);
  return out;
}

/// The same map of a YAML tree: texts as they are written.
inline void written_keys(const configs::yaml_node& x, const std::string& path,
                         std::map<std::string, std::string>& out) {
  if (x.kind == configs::yaml_kind::scalar || x.kind == configs::yaml_kind::null) out[path] = x.text;
  for (std::size_t i = 0; i < x.items.size(); ++i) {
    bool map = x.kind == configs::yaml_kind::map;
    auto name = map ? (path.empty() ? "" : ".") + x.keys[i] : "[" + std::to_string(i) + "]";
    written_keys(x.items[i], path + name, out);
  }
}

}  // namespace test
