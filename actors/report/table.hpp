#pragma once
// Columns for a terminal.

#include <string>
#include <vector>

#include "actors/report/sentences.hpp"

namespace actors::report {

constexpr std::size_t line_width = 80;  ///< of what is printed for a terminal

struct column {
  std::string title;
  std::size_t most = 24;  ///< characters; what is longer is cut
  bool right = false;     ///< figures: never cut
  bool whole = false;     ///< nor are these words: an id, to be copied
};

/// Rows under their titles, columns as wide as their longest cell; where a line would be too long, the widest columns
/// of words become narrower. A short row ends early.
std::string table_text(const std::vector<column>& columns, const std::vector<std::vector<std::string>>& rows);

/// A block of "  label  text" lines with the texts under each other, wrapped at 80 columns.
std::string block_text(const std::vector<labelled>& lines);

}  // namespace actors::report
