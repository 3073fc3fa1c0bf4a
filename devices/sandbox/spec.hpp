#pragma once
// What a sandbox shows and allows, as text: for command lines and across languages.

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace devices::sandbox {

/// An error is one sentence without an end.
template <class T>
using expected = tl::expected<T, std::string>;

/// Text: one item a line. PATH is absolute and goes to the end of the line.
/// `ro PATH`         readable, and in every candidate's sandbox too
/// `dev PATH`        a device, or a folder of them, for use; in every candidate's sandbox too
/// `own PATH`        readable in this sandbox only
/// `rw PATH`         readable and writable; becomes the property of the sandbox's user
/// `candidate PATH`  readable, at /candidate
/// `keep-caps`       capabilities of its user namespace stay with the command, which gives them up itself
/// `processes`       a candidate may start processes
/// `exec`            a candidate may become another program, which forbids that itself
/// `profiler`        that program is a profiler of ours: it may count events and has a network of its own to talk over
struct spec {
  std::vector<std::string> readable, devices, own, writable;
  std::string candidate;
  bool keep_capabilities = false;
  bool processes = false;
  bool exec = false;
  bool profiler = false;

  friend bool operator==(const spec&, const spec&) = default;
};

expected<spec> parse(std::string_view text);
std::string to_text(const spec& x);

}  // namespace devices::sandbox
