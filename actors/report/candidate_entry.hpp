#pragma once
// What a page shows of a candidate.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/report/sentences.hpp"

namespace actors::report {

struct code_text {
  std::string path;
  std::string text;
  std::string note;  ///< what was cut, or why there is no text

  void fields(auto& f) {
    f("path", path);
    f("text", text);
    f("note", note);
  }
  friend bool operator==(const code_text&, const code_text&) = default;
};

/// What is unfolded below a candidate's row.
struct candidate_details {
  std::vector<std::string> evidence;
  std::vector<std::string> leads;  ///< of the static check
  std::vector<labelled> lines;
  std::vector<code_text> codes;
  std::string code_note;  ///< why there is no code

  void fields(auto& f) {
    f("evidence", evidence);
    f("leads", leads);
    f("detail_lines", lines);
    f("codes", codes);
    f("code_note", code_note);
  }
  friend bool operator==(const candidate_details&, const candidate_details&) = default;
};

struct candidate_entry {
  std::uint64_t number = 0;  ///< from 1, in the order they were made
  std::string anchor;
  std::string id;  ///< its beginning
  std::string origin;
  std::string parents;
  std::string knobs;
  std::string verdict;
  std::string kind;  ///< "best", "good", "bad", "open"
  std::string time;
  std::string speedup;
  std::string interval;
  std::string seconds;
  std::optional<candidate_details> details;

  void fields(auto& f) {
    f("number", number);
    f("candidate_anchor", anchor);
    f("id", id);
    f("origin", origin);
    f("parents", parents);
    f("knobs", knobs);
    f("candidate_verdict", verdict);
    f("candidate_kind", kind);
    f("candidate_time", time);
    f("candidate_speedup", speedup);
    f("candidate_interval", interval);
    f("candidate_seconds", seconds);
    f("details", details);
  }
  friend bool operator==(const candidate_entry&, const candidate_entry&) = default;
};

}  // namespace actors::report
