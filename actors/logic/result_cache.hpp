#pragma once
// Decides what becomes of a request that may equal an earlier one: answer it, run it, or let it wait for its equal.

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/stage.hpp"

namespace actors::logic {

/// Verdicts by content, and which stages wait for which run. Plain code: no actor, no clock, one thread.
class result_cache {
public:
  enum class decision {
    answer,  ///< `find` has the verdict
    run,     ///< first to ask: run it, then call `finish`
    wait,    ///< an equal one runs; its end will name the stage
  };

  /// @param capacity verdicts kept, the one unused for longest goes first; 0: none, and no two requests are equal
  explicit result_cache(std::size_t capacity) : capacity_(capacity) {}

  decision ask(const std::string& key, const messages::stage_id& who);

  /// Null if unknown.
  const messages::verdict* find(const std::string& key) const;

  /// Ends a run and keeps its verdict, a rejection too. Returns who waited, the first asker first.
  std::vector<messages::stage_id> finish(const std::string& key, const messages::stage_outcome& outcome);

  /// The stage wants it no more. Returns whether nobody does: then the run is to be given up.
  bool withdraw(const std::string& key, const messages::stage_id& who);

private:
  struct entry {
    messages::verdict verdict;
    std::list<std::string>::iterator use;
  };
  void keep(const std::string& key, const messages::verdict& verdict);

  std::size_t capacity_;
  std::map<std::string, entry> results_;
  std::list<std::string> uses_;  // last used first
  std::map<std::string, std::vector<messages::stage_id>> runs_;
};

}  // namespace actors::logic
