#pragma once
// What is said of flags and commands that can't be used.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace actors::cli {

/// What is wrong with the value and what is wanted; empty if nothing is.
std::string not_a_whole_number(const std::string& text, std::uint64_t least, std::uint64_t most);
std::string not_one_of(const std::string& text, std::span<const std::string> names);

/// A word that the command line has no place for.
struct stray_word {
  std::string word;                   ///< "--sede=3", "optimise"
  std::string command;                ///< that it follows: "bench kernelbench"; empty: kernelmesh itself
  std::vector<std::string> commands;  ///< that may follow; where there are none the word is a flag or an argument
  std::vector<std::string> flags;     ///< of the command, with their dashes
};

/// `there is no command "optimise"; did you mean "optimize"?`
std::string sentence_of(const stray_word& x);

}  // namespace actors::cli
