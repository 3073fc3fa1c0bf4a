#pragma once
// What is wrong with one file: everything that was found in one go, in the order of its lines.

#include <cstdint>
#include <string>
#include <vector>

#include "messages/records/failure.hpp"

namespace configs {

/// Both from 1; 0: about the file as a whole.
struct position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const position&, const position&) = default;
};

struct problem {
  position at;
  std::string sentence;  ///< what is wrong; what to do
};

class problem_list {
public:
  /// @param file as the user named it; empty: the problems are about values, not about a file
  explicit problem_list(std::string file) : file_(std::move(file)) {}

  void add(position at, std::string sentence) { problems_.push_back({at, std::move(sentence)}); }

  bool empty() const { return problems_.empty(); }
  std::size_t size() const { return problems_.size(); }

  /// One `FILE:LINE: what; what to do` each, by line; at most 20, the last line says how many more there are.
  std::vector<std::string> lines() const;

  /// `misconfigured` with `lines()`, one a line. Not called while empty.
  messages::failure as_failure() const;

private:
  std::string file_;
  std::vector<problem> problems_;
};

}  // namespace configs
