#ifndef KERNELMESH_MESSAGES_RECORDS_LAUNCH_RECORD_HPP
#define KERNELMESH_MESSAGES_RECORDS_LAUNCH_RECORD_HPP
// Binaries and the launches that make one call of them: version 1 of the launch record. What it means is documented in
// dsl/FORMS.md. It is only a claim of whoever wrote it: who runs one checks every place, size and count first.

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/wire/document.hpp"

namespace messages {

// -- memory -----------------------------------------------------------------------------------------------------------

enum class buffer_kind : std::uint8_t { argument, output, scratch };
constexpr auto enum_names(buffer_kind) { return std::to_array<std::string_view>({"argument", "output", "scratch"}); }

/// A byte of a buffer. Arguments and outputs are those of the candidate's manifest; offset 0 is their first element.
struct buffer_place {
  buffer_kind buffer = buffer_kind::argument;
  std::uint32_t index = 0;
  std::uint64_t offset = 0;  ///< bytes

  void fields(auto& f) {
    f("buffer", buffer);
    f("index", index);
    f("offset", offset);
  }
  friend bool operator==(const buffer_place&, const buffer_place&) = default;
};

// -- launches ---------------------------------------------------------------------------------------------------------

/// 8 bytes of a parameter that hold an address.
struct pointer_patch {
  std::uint32_t at = 0;  ///< byte of the parameter
  buffer_place place;

  void fields(auto& f) {
    f("at", at);
    f("place", place);
  }
  friend bool operator==(const pointer_patch&, const pointer_patch&) = default;
};

struct kernel_parameter {
  wire::bytes value;  ///< as it is passed; zeros where addresses go
  std::vector<pointer_patch> pointers;

  void fields(auto& f) {
    f("value", value);
    f("pointers", pointers);
  }
  friend bool operator==(const kernel_parameter&, const kernel_parameter&) = default;
};

/// Along three dimensions, x first.
struct launch_extent {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  void fields(auto& f) {
    f("x", x);
    f("y", y);
    f("z", z);
  }
  friend bool operator==(const launch_extent&, const launch_extent&) = default;
};

struct kernel_launch {
  static constexpr auto wire_name = "launch";
  std::uint32_t image = 0;         ///< of `images`
  std::string kernel;              ///< the symbol in it
  launch_extent grid;              ///< blocks
  launch_extent block;             ///< threads a block
  launch_extent cluster;           ///< blocks a cluster
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory of a block
  bool cooperative = false;
  std::vector<kernel_parameter> parameters;

  void fields(auto& f) {
    f("image", image);
    f("kernel", kernel);
    f("grid", grid);
    f("block", block);
    f("cluster", cluster);
    f("shared_bytes", shared_bytes);
    f("cooperative", cooperative);
    f("parameters", parameters);
  }
  friend bool operator==(const kernel_launch&, const kernel_launch&) = default;
};

/// Every byte of a range gets one value.
struct memory_fill {
  static constexpr auto wire_name = "fill";
  buffer_place place;
  std::uint64_t bytes = 0;
  std::uint8_t value = 0;

  void fields(auto& f) {
    f("place", place);
    f("bytes", bytes);
    f("value", value);
  }
  friend bool operator==(const memory_fill&, const memory_fill&) = default;
};

struct memory_copy {
  static constexpr auto wire_name = "copy";
  buffer_place from;
  buffer_place to;
  std::uint64_t bytes = 0;

  void fields(auto& f) {
    f("from", from);
    f("to", to);
    f("bytes", bytes);
  }
  friend bool operator==(const memory_copy&, const memory_copy&) = default;
};

using launch_operation = std::variant<kernel_launch, memory_fill, memory_copy>;

// -- the record -------------------------------------------------------------------------------------------------------

/// A binary for one architecture.
struct launch_image {
  std::string name;
  wire::bytes content;  ///< empty in a source: the DSL's adapter builds it

  void fields(auto& f) {
    f("name", name);
    f("content", content);
  }
  friend bool operator==(const launch_image&, const launch_image&) = default;
};

struct launch_record {
  std::uint32_t version = 1;
  std::string arch;  ///< "sm_90a"; empty in a source
  std::vector<launch_image> images;
  std::vector<std::uint64_t> scratch;        ///< bytes of each buffer that a call needs besides; undefined at its start
  std::vector<launch_operation> operations;  ///< one after another, each sees what those before it wrote

  void fields(auto& f) {
    f("version", version);
    f("arch", arch);
    f("images", images);
    f("scratch", scratch);
    f("operations", operations);
  }
  friend bool operator==(const launch_record&, const launch_record&) = default;
};

}  // namespace messages

#endif
