#include "actors/report/numbers.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace actors::report {

namespace {

constexpr double least_noise = 0.02;
constexpr double noisy_machine = 0.05;
constexpr double wide_interval = 0.2;
constexpr double far_apart = 1.5;

/// Four significant digits, no exponent.
std::string four_digits(double x) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  int before = std::abs(x) < 1 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(x)))) + 1;
  return fmt::format("{:.{}f}", x, std::clamp(4 - before, 0, 3));
}

/// Two processes differ by what no interval of one of them holds: the machine's other work, where memory lies.
bool says_the_same(const messages::ratio& speedup, const messages::ratio& before, double noise) {
  auto apart = std::max(speedup.value, before.value) / std::max(std::min(speedup.value, before.value), 1e-9);
  return before.low > 1 + noise && apart < far_apart;
}

}  // namespace

std::string duration_text(double milliseconds) {
  if (milliseconds >= 1000) return four_digits(milliseconds / 1000) + " s";
  return milliseconds >= 1 ? four_digits(milliseconds) + " ms" : four_digits(milliseconds * 1000) + " us";
}

std::string interval_text(const messages::distribution& x) {
  return duration_text(x.low) + " to " + duration_text(x.high);
}

std::string ratio_text(double x) { return fmt::format("{:.{}f}x", x, x >= 100 ? 0 : 2); }

std::string interval_text(const messages::ratio& x) { return ratio_text(x.low) + " to " + ratio_text(x.high); }

std::string share_text(double x) { return fmt::format("{:.{}f} %", x * 100, x < 0.1 ? 1 : 0); }

std::string error_text(double x) { return x == 0 ? "0" : fmt::format("{:.2g}", x); }

std::string seconds_text(double x) {
  auto whole = static_cast<std::int64_t>(std::llround(x));
  if (x < 10) return fmt::format("{:.2f} s", x);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string bytes_text(std::uint64_t x) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(x);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) amount /= 1024, ++unit;
  return fmt::format("{:.{}f} {}", amount, unit > 0 && amount < 10 ? 1 : 0, units[unit]);
}

std::string count_text(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string date_text(logic::time_point x) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::floor<std::chrono::seconds>(x)));
}

bool is_noisy(const messages::timing& x) {
  return x.aa_noise > noisy_machine
         || x.speedup_eager.high - x.speedup_eager.low > wide_interval * x.speedup_eager.value;
}

speedup_grounds grounds_of(const logic::job_state& job, const logic::candidate_state& x) {
  auto judged = x.found<messages::verified>(messages::stage_kind::verify);
  auto times = x.timing();
  return {.noise = times ? times->aa_noise : 0,
          .degenerate = judged && judged->judging.degenerate_task,
          .timed_once = logic::is_timed_once(job, x),
          .before = x.before};
}

std::string standing_of(const messages::ratio& speedup, const speedup_grounds& x) {
  if (speedup.high < 1) return "slower";
  auto noise = std::max(x.noise, least_noise);
  if (speedup.low <= 1 + noise) return "within the noise";
  if (x.degenerate) return "degenerate task";
  if (x.before && !says_the_same(speedup, *x.before, noise))
    return "timings differ (" + ratio_text(x.before->value) + " before)";
  return x.timed_once ? "faster, timed once" : "real";
}

std::string roofline_text(const messages::timing& x) {
  if (!x.roofline_share) return {};
  auto share = share_text(*x.roofline_share) + " of the roofline";
  if (!logic::beats_roofline(x)) return share;
  return share
         + ": faster than this device was measured to be (the task fits in a cache, or the machine was busy then: "
           "`kernelmesh doctor --measure` on a quiet machine measures it anew)";
}

}  // namespace actors::report
