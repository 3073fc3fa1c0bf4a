#include "configs/wording.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <numeric>

namespace configs {

namespace {

constexpr std::size_t longest_quote = 60;
constexpr std::size_t longest_list = 12;
constexpr std::size_t longest_name = 64;

bool plain(char c) { return (c >= ' ' && c != '\x7f') || static_cast<unsigned char>(c) >= 0x80; }

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  char text[5];
  std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(c));
  return text;
}

/// Cuts no UTF-8 sequence in two.
std::string_view shortened(std::string_view text) {
  if (text.size() <= longest_quote) return text;
  auto end = longest_quote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

/// Levenshtein's, with neighbours that changed places as one step; letters' case does not count.
std::size_t distance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j + 1] + 1, next[j] + 1, row[j] + (same(a[i], b[j]) ? 0u : 1u)});
      if (i > 0 && j > 0 && same(a[i], b[j - 1]) && same(a[i - 1], b[j]))
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = row;
    std::swap(row, next);
  }
  return row.back();
}

}  // namespace

std::string in_quotes(std::string_view text) {
  auto kept = shortened(text);
  std::string out = "\"";
  for (char c : kept) plain(c) ? out.push_back(c) : void(out += escaped(c));
  return out + (kept.size() < text.size() ? "...\"" : "\"");
}

std::string listed(std::span<const std::string> names) {
  auto shown = std::min(names.size(), longest_list);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    bool last = i + 1 == names.size();
    if (i > 0) out += last ? " or " : ", ";
    out += in_quotes(names[i]);
  }
  if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

std::string nearest(std::string_view name, std::span<const std::string> known) {
  if (name.size() > longest_name) return {};
  std::string best;
  auto least = 1 + std::max<std::size_t>(1, name.size() / 3);
  for (auto& x : known) {
    auto d = distance(name, x);
    if (d < least && d < x.size()) {
      least = d;
      best = x;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> known, std::string_view what) {
  if (auto near = nearest(name, known); !near.empty()) return "; did you mean " + in_quotes(near) + "?";
  if (known.empty()) return {};
  return "; " + std::string{what} + " " + listed(known);
}

std::string about_task(std::string_view file, std::string_view line, std::string_view message) {
  auto where = line.empty() ? "the task " + std::string{file} : std::string{file} + ':' + std::string{line};
  return where + ": " + std::string{message};
}

std::string path_for_people(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  auto whole = fs::absolute(path, error).lexically_normal();
  auto here = fs::current_path(error);
  if (error) return path.string();
  auto near = whole.lexically_relative(here);
  bool outside = near.empty() || *near.begin() == "..";
  return outside ? whole.string() : near.string();
}

std::string safe_name(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, longest_name))
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ? c : '_';
  if (out.empty() || out.front() == '.') out.insert(out.begin(), '_');
  return out.substr(0, longest_name);
}

}  // namespace configs
