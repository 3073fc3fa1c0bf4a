#include <array>
#include <charconv>
#include <cmath>

#include "llm_client/failures.hpp"

namespace llm_client {

namespace {

/// Words and numbers between blanks, commas, dashes and colons.
std::array<std::string_view, 8> date_words(std::string_view text) {
  std::array<std::string_view, 8> out;
  constexpr auto between = " ,-:\t";
  for (auto& word : out) {
    auto begin = text.find_first_not_of(between);
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    auto end = std::min(text.find_first_of(between), text.size());
    word = text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

std::optional<int> date_number(std::string_view text) {
  int x = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (problem != std::errc{} || end != text.data() + text.size() || x < 0) return std::nullopt;
  return x;
}

unsigned month_of(std::string_view text) {
  constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  auto at = text.size() == 3 ? names.find(text) : names.npos;
  return at == names.npos || at % 3 != 0 ? 0 : static_cast<unsigned>(at / 3 + 1);
}

}  // namespace

std::optional<wall_time> parse_http_date(std::string_view text) {
  auto words = date_words(text);  // "Sun 06 Nov 1994 08 49 37 GMT", or "Sun Nov 6 08 49 37 1994"
  bool month_first = month_of(words[1]) != 0;
  auto month = month_of(month_first ? words[1] : words[2]);
  auto day = date_number(month_first ? words[2] : words[1]), year = date_number(month_first ? words[6] : words[3]);
  auto first_of_time = month_first ? 3u : 4u;
  auto hour = date_number(words[first_of_time]), minute = date_number(words[first_of_time + 1]),
       second = date_number(words[first_of_time + 2]);
  if (month == 0 || !day || !year || !hour || !minute || !second) return std::nullopt;
  if (*year < 100) *year += *year < 70 ? 2000 : 1900;
  std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{month},
                                   std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *year > 9999 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute}
         + std::chrono::seconds{*second};
}

namespace {

/// "1.5": whole or with a fraction; a day at most is believed.
std::optional<std::chrono::milliseconds> patience(std::string_view text, double milliseconds_each) {
  double x = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size() || !(x >= 0)) return std::nullopt;
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(std::min(x * milliseconds_each, 86'400'000.0)))};
}

}  // namespace

std::optional<std::chrono::milliseconds> retry_after(const http_head& head, wall_time now) {
  if (auto x = patience(head.header("retry-after-ms"), 1)) return x;
  auto text = head.header("retry-after");
  if (auto x = patience(text, 1000)) return x;
  auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  auto there = parse_http_date(head.header("date")).value_or(now);  // its clock may be another
  return std::clamp<std::chrono::milliseconds>(*date - there, std::chrono::milliseconds{0}, std::chrono::hours{24});
}

}  // namespace llm_client
