#include <fmt/format.h>

#include <algorithm>

#include "actors/report/clean_text.hpp"
#include "actors/report/page_parts.hpp"

namespace actors::report {

std::size_t page_space::take(std::size_t& from, std::size_t wanted) {
  auto got = std::min(from, wanted);
  from -= got;
  return got;
}

page_space page_space::share(std::size_t jobs) {
  auto part = [&](std::size_t& from) { return take(from, from / std::max<std::size_t>(1, jobs)); };
  return {part(code_bytes), part(unfolded), part(rows), part(points)};
}

void page_space::give_back(const page_space& left_over) {
  code_bytes += left_over.code_bytes;
  unfolded += left_over.unfolded;
  rows += left_over.rows;
  points += left_over.points;
}

code_text code_of(const std::string& path, const std::string& text, const report_options& options, page_space& space) {
  code_text out{path, clean_block(text, options.code_bytes), ""};
  auto size = html_escape(out.text).size();
  if (size > space.code_bytes) return {path, "", "Left out: this page holds as much code as it may."};
  space.code_bytes -= size;
  if (text.size() > options.code_bytes)
    out.note = fmt::format("Cut after {} of {} bytes.", options.code_bytes, text.size());
  return out;
}

}  // namespace actors::report
