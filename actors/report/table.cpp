#include "actors/report/table.hpp"

#include <algorithm>
#include <numeric>

#include "actors/report/clean_text.hpp"

namespace actors::report {

namespace {

/// What is too long ends in "~".
std::string fitted(const std::string& cell, std::size_t most) {
  if (width_of(cell) <= most) return cell;
  std::string out;
  std::size_t taken = 0;
  for (char c : cell) {
    bool begins = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (begins && ++taken >= most) break;
    out += c;
  }
  return out + "~";
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  std::string gap(width - std::min(width, width_of(cell)), ' ');
  return right ? gap + cell : cell + gap;
}

std::string line_of(const std::vector<column>& columns, const std::vector<std::size_t>& widths,
                    const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size() && i < columns.size(); ++i)
    line += (i ? "  " : "") + padded(fitted(cells[i], widths[i]), widths[i], columns[i].right);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

void narrow(const std::vector<column>& columns, std::vector<std::size_t>& widths) {
  constexpr std::size_t least = 8, between = 2;
  auto total = std::accumulate(widths.begin(), widths.end(), between * (widths.size() - 1));
  for (; total > line_width; --total) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!columns[i].right && !columns[i].whole && widths[i] > least
          && (widest == columns.size() || widths[i] >= widths[widest]))
        widest = i;
    if (widest == columns.size()) return;
    --widths[widest];
  }
}

}  // namespace

std::string table_text(const std::vector<column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    titles.push_back(columns[i].title);
    widths.push_back(width_of(columns[i].title));
    for (const auto& row : rows)
      if (i < row.size()) widths[i] = std::max(widths[i], std::min(width_of(row[i]), columns[i].most));
  }
  narrow(columns, widths);
  auto out = line_of(columns, widths, titles);
  for (const auto& row : rows) out += line_of(columns, widths, row);
  return out;
}

std::string block_text(const std::vector<labelled>& lines) {
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, width_of(line.label));
  std::string out, indent(widest + 4, ' ');
  for (const auto& line : lines)
    out += "  " + padded(line.label, widest, false) + "  "
           + (line.whole ? line.text : wrapped(line.text, line_width, indent)) + '\n';
  return out;
}

}  // namespace actors::report
