#pragma once
// The one wrapper of yaml-cpp: a text becomes a plain tree, or a problem with its line. What it bounds: nesting, number
// of nodes and bytes with aliases expanded, one document a file, no tags, keys are plain texts.

#include <string>
#include <string_view>
#include <vector>

#include "configs/problems.hpp"

namespace configs {

enum class yaml_kind : std::uint8_t { null, scalar, list, map };

struct yaml_node {
  yaml_kind kind = yaml_kind::null;
  position at;
  bool quoted = false;                  ///< a scalar in quotes is always text: "5" is no number
  std::string text;                     ///< of a scalar
  std::vector<yaml_node> items;         ///< of a list, or the values of a map
  std::vector<std::string> keys;        ///< of a map, as many as items; a key that is given twice is here twice
  std::vector<position> key_positions;  ///< of a map, as many as items
};

struct yaml_limits {
  std::size_t bytes = 1u << 20;  ///< of the file
  std::size_t depth = 32;
  std::size_t nodes = 100'000;         ///< with aliases expanded
  std::size_t text_bytes = 16u << 20;  ///< of all scalars, with aliases expanded
};

/// A null node is a text without content. Never throws; a problem has the position where reading stopped.
tl::expected<yaml_node, problem> parse_yaml(std::string_view text, const yaml_limits& limits = {});

}  // namespace configs
