#pragma once
// What a value must be beyond its type. A constraint says whether a value holds, and words what would: it changes the
// noun ("a whole number") into what is asked for ("a whole number from 1 to 64").

#include <algorithm>
#include <concepts>
#include <string>
#include <vector>

#include "configs/scalars.hpp"
#include "configs/wording.hpp"

namespace configs {

template <class L>
struct in_range {
  L low;
  L high;

  template <class T>
  requires std::convertible_to<L, T> && std::totally_ordered<T>
  bool ok(const T& x) const { return T(low) <= x && x <= T(high); }
  void word(std::string& wanted) const { wanted += " from " + show(low) + " to " + show(high); }
};
template <class L>
in_range(L, L) -> in_range<L>;

/// A text that is one of these. `what` is "a strategy"; none known: any will do.
struct one_of {
  std::vector<std::string> names;

  bool ok(const std::string& x) const {
    return names.empty() || std::find(names.begin(), names.end(), x) != names.end();
  }
  void word(std::string& wanted) const {
    if (!names.empty()) wanted = "one of " + listed(names);
  }
  std::string hint(const std::string& x) const {
    auto near = nearest(x, names);
    return near.empty() ? "" : " (did you mean " + in_quotes(near) + "?)";
  }
};

struct not_empty {
  template <class T>
  requires requires(const T& x) { x.empty(); }
  bool ok(const T& x) const { return !x.empty(); }
  void word(std::string& wanted) const { wanted += " that is not empty"; }
};

/// Of a list, where none is a choice too.
struct may_be_empty {
  bool ok(const auto&) const { return true; }
  void word(std::string&) const {}
};

/// A text that can be part of a file name and an id.
struct short_name {
  bool ok(const std::string& x) const { return !x.empty() && safe_name(x) == x; }
  void word(std::string& wanted) const {
    wanted = "a name of at most 64 letters, digits, \"_\", \"-\" and \".\", not starting with \".\"";
  }
};

/// "cpu:0"; the kind is one of those known, where any are.
struct device_form {
  std::vector<std::string> kinds;
  bool node_allowed = false;  ///< "gpu-host-3/cuda:1"

  bool ok(const std::string& x) const;
  void word(std::string& wanted) const;
  std::string hint(const std::string& x) const;
};

}  // namespace configs
