#pragma once
// What a run shows on stderr while it runs: a live line on a terminal, else one plain line a step.

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "messages/records/event.hpp"

namespace actors::cli {

struct progress_options {
  bool terminal = false;     ///< stderr is one
  bool verbose = false;      ///< every event
  bool many_jobs = false;    ///< lines name their job
  bool only_judged = false;  ///< a candidate is judged, nothing is searched for
};

/// Safe from any thread.
class progress {
public:
  explicit progress(const progress_options& options) : options_(options) {}
  ~progress();

  void show(const messages::event& x);

  /// How many jobs there are, and how many of them had finished before: for the time left.
  void expect(std::uint32_t jobs, std::uint32_t finished);

  /// A line that stays.
  void say(const std::string& line);

private:
  void note(const messages::event& x);
  void draw();
  void clear();
  std::string standing(std::chrono::sys_time<std::chrono::milliseconds> now) const;

  progress_options options_;
  std::mutex mutex_;
  std::map<std::string, std::string> under_way_;  // stage -> what is known of it
  std::string best_;
  std::uint32_t candidates_ = 0;
  std::uint32_t jobs_ = 0;  // 0: not known
  std::uint32_t jobs_before_ = 0;
  std::uint32_t jobs_ended_ = 0;
  std::chrono::sys_time<std::chrono::milliseconds> started_{};
  bool drawn_ = false;
};

/// What is worth a line that stays; every event when verbose; empty: nothing. What tasks, candidates and workers said
/// in it has no control characters and is cut to 200 bytes.
std::string line_of(const messages::event& x, const progress_options& options);

/// "12 of 80 jobs, about 25 min left"; the time only once a job has ended. @param ended jobs since `elapsed` began, of
/// those that were not finished before
std::string standing_of(std::uint32_t jobs, std::uint32_t before, std::uint32_t ended,
                        std::chrono::milliseconds elapsed);

/// What there is to wait for before anything else can be said; empty: nothing. @param devices that have workers
std::string start_line(const std::vector<std::string>& devices);

/// Whether stderr is a terminal that can be drawn on.
bool stderr_is_terminal();

}  // namespace actors::cli
