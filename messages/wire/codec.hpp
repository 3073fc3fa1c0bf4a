#ifndef KERNELMESH_MESSAGES_WIRE_CODEC_HPP
#define KERNELMESH_MESSAGES_WIRE_CODEC_HPP
// How each kind of C++ type looks on the wire. One specialisation a kind; a new kind of leaf is one more.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <map>
#include <variant>

#include "messages/wire/reader.hpp"
#include "messages/wire/writer.hpp"

namespace wire {

template <class T>
struct codec;

template <class T>
void write(writer& out, const T& x) {
  codec<T>::write(out, x);
}

template <class T>
bool read(const reader& in, T& x) {
  return codec<T>::read(in, x);
}

// -- what a message type must offer -----------------------------------------------------------------------------------

struct field_counter {
  std::size_t count = 0;
  void operator()(std::string_view, const auto&) { ++count; }
};

/// A struct that names its fields: `void fields(auto& f) { f("job", job); f("timeout_ms", timeout); }`.
template <class T>
concept record = requires(T& x, field_counter& f) {
  x.fields(f);
};

/// A record that may stand in a variant: `static constexpr auto wire_name = "compile_error";`.
template <class T>
concept alternative = record<T> && requires {
  std::string_view{T::wire_name};
};

/// An enum with `constexpr auto enum_names(E)`: the names of its values 0, 1, 2, ... in its own namespace.
template <class T>
concept named_enum = std::is_enum_v<T> && requires(T x) {
  std::span<const std::string_view>{enum_names(x)};
};

template <class T>
concept strong_id = requires {
  typename T::representation;
};

// -- leaves -----------------------------------------------------------------------------------------------------------

template <>
struct codec<bool> {
  static void write(writer& out, bool x) { out.boolean(x); }
  static bool read(const reader& in, bool& x) { return in.get(x); }
};

template <std::unsigned_integral T>
struct codec<T> {
  static void write(writer& out, T x) { out.positive(x); }
  static bool read(const reader& in, T& x) {
    std::uint64_t wide = 0;
    return in.get_positive(wide, std::numeric_limits<T>::max()) && (x = static_cast<T>(wide), true);
  }
};

template <std::signed_integral T>
struct codec<T> {
  static void write(writer& out, T x) { out.integer(x); }
  static bool read(const reader& in, T& x) {
    std::int64_t wide = 0;
    return in.get_integer(wide, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())
           && (x = static_cast<T>(wide), true);
  }
};

template <>
struct codec<double> {
  static void write(writer& out, double x) { out.real(x); }
  static bool read(const reader& in, double& x) { return in.get(x); }
};

template <>
struct codec<std::string> {
  static void write(writer& out, const std::string& x) { out.text(x); }
  static bool read(const reader& in, std::string& x) {
    std::string_view view;
    return in.get(view) && (x.assign(view), true);
  }
};

template <>
struct codec<bytes> {
  static void write(writer& out, const bytes& x) { out.blob(x); }
  static bool read(const reader& in, bytes& x) { return in.get(x); }
};

/// Borrows from the bytes that were unpacked; they must outlive the message. MessagePack only.
template <>
struct codec<bytes_view> {
  static void write(writer& out, bytes_view x) { out.blob(x); }
  static bool read(const reader& in, bytes_view& x) { return in.get(x); }
};

/// A name no table knows is an error, unless the enum has a value "unknown" for what newer peers may say.
template <named_enum T>
struct codec<T> {
  static constexpr auto names = enum_names(T{});
  static void write(writer& out, T x) {
    auto i = static_cast<std::size_t>(x);
    out.text(i < names.size() ? names[i] : "?");
  }
  static bool read(const reader& in, T& x) {
    std::string_view name;
    if (!in.get(name)) return false;
    auto found = std::ranges::find(names, name);
    if (found == names.end()) found = std::ranges::find(names, "unknown");
    if (found == names.end()) return in.fail("unknown name \"" + std::string{name.substr(0, 64)} + '"');
    x = static_cast<T>(found - names.begin());
    return true;
  }
};

template <strong_id T>
struct codec<T> {
  static void write(writer& out, const T& x) { wire::write(out, x.value); }
  static bool read(const reader& in, T& x) { return wire::read(in, x.value); }
};

/// A count of its own unit, which the field's name must carry: _ns, _us, _ms, _s.
template <class Rep, class Period>
struct codec<std::chrono::duration<Rep, Period>> {
  using duration = std::chrono::duration<Rep, Period>;
  static void write(writer& out, duration x) { wire::write(out, x.count()); }
  static bool read(const reader& in, duration& x) {
    Rep count{};
    return wire::read(in, count) && (x = duration{count}, true);
  }
};

/// As a duration, since 1970.
template <class Duration>
struct codec<std::chrono::sys_time<Duration>> {
  static void write(writer& out, std::chrono::sys_time<Duration> x) { wire::write(out, x.time_since_epoch()); }
  static bool read(const reader& in, std::chrono::sys_time<Duration>& x) {
    Duration since{};
    return wire::read(in, since) && (x = std::chrono::sys_time<Duration>{since}, true);
  }
};

/// A setting: an integer or a text, told apart by how it is written.
template <>
struct codec<std::variant<std::int64_t, std::string>> {
  using setting = std::variant<std::int64_t, std::string>;
  static void write(writer& out, const setting& x) {
    std::visit([&](const auto& value) { wire::write(out, value); }, x);
  }
  static bool read(const reader& in, setting& x) {
    return in.is_text() ? wire::read(in, x.emplace<std::string>()) : wire::read(in, x.emplace<std::int64_t>());
  }
};

// -- what holds others ------------------------------------------------------------------------------------------------

template <class T>
struct codec<std::optional<T>> {
  static void write(writer& out, const std::optional<T>& x) { x ? wire::write(out, *x) : out.nil(); }
  static bool read(const reader& in, std::optional<T>& x) {
    if (in.nil()) return x.reset(), true;
    return wire::read(in, x.emplace());
  }
};

template <class T>
struct codec<std::vector<T>> {
  static void write(writer& out, const std::vector<T>& xs) {
    out.array(xs.size());
    for (const auto& x : xs) wire::write(out, x);
  }
  static bool read(const reader& in, std::vector<T>& xs) {
    if (!in.array(sizeof(T))) return false;
    xs.clear();
    xs.reserve(in.size());
    return in.each_element([&](const reader& element) { return wire::read(element, xs.emplace_back()); });
  }
};

template <class T>
struct codec<std::map<std::string, T>> {
  static void write(writer& out, const std::map<std::string, T>& xs) {
    out.map(xs.size());
    for (const auto& [key, x] : xs) out.text(key), wire::write(out, x);
  }
  static bool read(const reader& in, std::map<std::string, T>& xs) {
    if (!in.map(sizeof(std::pair<std::string, T>) + 4 * sizeof(void*))) return false;
    xs.clear();
    return in.each_pair(
        [&](std::string_view key, const reader& value) { return wire::read(value, xs[std::string{key}]); });
  }
};

/// A map with one pair: the alternative's name and its record.
template <alternative... Ts>
struct codec<std::variant<Ts...>> {
  static void write(writer& out, const std::variant<Ts...>& x) {
    out.map(1);
    std::visit([&]<class T>(const T& value) { out.text(T::wire_name), wire::write(out, value); }, x);
  }
  static bool read(const reader& in, std::variant<Ts...>& x) {
    if (!in.map(0)) return false;
    if (in.size() != 1) return in.fail("expected one alternative, got " + std::to_string(in.size()));
    return in.each_pair([&](std::string_view name, const reader& value) {
      bool ok = false;
      bool known = ((name == Ts::wire_name && (ok = wire::read(value, x.template emplace<Ts>()), true)) || ...);
      return known ? ok : in.fail("unknown alternative \"" + std::string{name.substr(0, 64)} + '"');
    });
  }
};

/// What fields() is called with. Not lambdas inside the codec: those would be compiled anew for each record.
struct field_writer {
  writer& out;
  template <class T>
  void operator()(std::string_view name, const T& value) {
    out.text(name);
    wire::write(out, value);
  }
};

struct field_reader {
  member_reader members;
  bool ok = true;
  template <class T>
  void operator()(std::string_view name, T& value) {
    if (!ok) return;
    if (auto member = members.find(name)) ok = wire::read(*member, value);
  }
};

/// A map by field name. Unknown keys are ignored; an absent key leaves the member's initialiser in place.
template <record T>
struct codec<T> {
  static void write(writer& out, const T& const_x) {
    auto& x = const_cast<T&>(const_x);  // fields() is one function for both directions; writing changes nothing
    field_counter counter;
    x.fields(counter);
    out.map(counter.count);
    field_writer field{out};
    x.fields(field);
  }
  static bool read(const reader& in, T& x) {
    if (!in.map(0)) return false;
    field_reader field{member_reader{in}};
    x.fields(field);
    return field.ok;
  }
};

}  // namespace wire

#endif
