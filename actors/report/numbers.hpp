#pragma once
// How figures are written for people, the same on a page and on a terminal.

#include <cstdint>
#include <string>

#include "actors/logic/job_state.hpp"
#include "messages/records/verdict.hpp"

namespace actors::report {

std::string duration_text(double milliseconds);              ///< "812.4 us", "2.410 ms", "1.200 s"
std::string interval_text(const messages::distribution& x);  ///< "2.401 ms to 2.420 ms"
std::string ratio_text(double x);                            ///< "2.97x"
std::string interval_text(const messages::ratio& x);         ///< "2.95x to 2.99x"
std::string share_text(double x);                            ///< of 0.814: "81 %"
std::string error_text(double x);                            ///< "1.2e-07", "0"
std::string seconds_text(double x);                          ///< "0.43 s", "12 s", "3 min 5 s", "2 h 4 min"
std::string bytes_text(std::uint64_t x);                     ///< "64 MiB"
std::string count_text(std::uint64_t n, const char* one, const char* many);  ///< "1 task", "2 tasks"
std::string date_text(logic::time_point x);                                  ///< "2026-11-28 06:15:02 UTC"

/// The word that travels for it.
template <class Enum>
std::string word_of(Enum x) {
  return std::string{enum_names(x)[static_cast<std::size_t>(x)]};
}

/// The machine was too busy to say much: eager differed from itself by more than 5 %, or the speedup's interval is
/// wider than a fifth of it.
bool is_noisy(const messages::timing& x);

/// What a speedup rests on.
struct speedup_grounds {
  double noise = 0;         ///< A/A noise of the machine
  bool degenerate = false;  ///< a task that a constant or an echo passes: there is no work to be faster at
  bool timed_once = false;  ///< as logic::is_timed_once
  std::optional<messages::ratio> before = {};  ///< what an earlier timing of the same found
};
speedup_grounds grounds_of(const logic::job_state& job, const logic::candidate_state& x);

/// "real": the lower bound is above what noise can do, 1 + the larger of the machine's A/A noise and 2 %, and was not
/// what the winner was chosen by, and an earlier timing says the same; else "faster, timed once", "timings differ",
/// "degenerate task", "within the noise", "slower".
std::string standing_of(const messages::ratio& speedup, const speedup_grounds& x);

/// "81 % of the roofline"; far above it what is wrong and the remedy. Empty where it is not known.
std::string roofline_text(const messages::timing& x);

}  // namespace actors::report
