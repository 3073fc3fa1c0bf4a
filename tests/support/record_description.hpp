#pragma once
// Walks the types that a record may hold.

#include <algorithm>

#include "messages/wire/codec.hpp"
#include "tests/support/record_kind.hpp"

namespace tests {

template <class T>
constexpr std::string_view type_name() {
  std::string_view x = __PRETTY_FUNCTION__;
  x.remove_prefix(x.find("T = ") + 4);
  return x.substr(0, x.find_first_of(";]"));
}

// -- what the compiler knows ------------------------------------------------------------------------------------------

struct anything {
  template <class T>
  operator T() const;
};

/// How many initialisers the aggregate takes.
template <class T, class... Known>
consteval std::size_t member_count() {
  if constexpr (requires { T{Known{}..., anything{}}; })
    return member_count<T, Known..., anything>();
  else
    return sizeof...(Known);
}

/// Is there an enumerator of this value? The compiler prints its name, and a cast where there is none.
template <auto Value>
constexpr bool is_enumerator() {
  return std::string_view{__PRETTY_FUNCTION__}.find("Value = (") == std::string_view::npos;
}

// -- the walk ---------------------------------------------------------------------------------------------------------

class type_walk {
public:
  explicit type_walk(type_descriptions& out) : out_(out) {}

  template <wire::record T>
  void record() {
    static_assert(std::is_aggregate_v<T>);
    if (std::ranges::find(out_.records, type_name<T>(), &record_description::type) != out_.records.end()) return;
    auto at = out_.records.size();
    out_.records.push_back({type_name<T>(), member_count<T>(), {}});
    field_walk field{*this, at};
    T x{};
    x.fields(field);
  }

private:
  struct field_walk {
    type_walk& walk;
    std::size_t at;
    template <class M>
    void operator()(std::string_view name, M&) {
      walk.out_.records[at].fields.push_back({name, unit<M>()});
      walk.visit<M>();
    }
  };

  template <class T>
  static constexpr std::string_view unit() {
    if constexpr (requires { typename T::period; }) {
      constexpr auto den = T::period::den;
      return den == 1 ? "_s" : den == 1000 ? "_ms" : den == 1'000'000 ? "_us" : "_ns";
    } else if constexpr (requires { typename T::clock; }) {
      return unit<typename T::duration>();
    } else if constexpr (requires { typename T::value_type; }) {
      return unit<typename T::value_type>();  // optional, vector
    } else {
      return {};
    }
  }

  template <class T>
  void visit() {
    if constexpr (wire::record<T>) {
      record<T>();
    } else if constexpr (wire::named_enum<T>) {
      enumeration<T>();
    } else if constexpr (requires { typename T::mapped_type; }) {
      visit<typename T::mapped_type>();
    } else if constexpr (requires { std::variant_size<T>::value; }) {
      [&]<class... Ts>(std::type_identity<std::variant<Ts...>>) { (visit<Ts>(), ...); }(std::type_identity<T>{});
    } else if constexpr (requires { typename T::value_type; }) {
      visit<typename T::value_type>();
    }
  }

  template <class T>
  void enumeration() {
    constexpr auto names = enum_names(T{});
    if (std::ranges::find(out_.enums, type_name<T>(), &enum_description::type) != out_.enums.end()) return;
    out_.enums.push_back({type_name<T>(),
                          {names.begin(), names.end()},
                          is_enumerator<static_cast<T>(names.size() - 1)>(),
                          is_enumerator<static_cast<T>(names.size())>()});
  }

  type_descriptions& out_;
};

}  // namespace tests
