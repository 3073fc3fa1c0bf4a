#pragma once
// What the page of a run shows, as texts and places on plots: clean, bounded, not yet escaped. The template names these
// fields; a list has a flag beside it there, "has_jobs" for "jobs".

#include <optional>
#include <string>
#include <vector>

#include "actors/report/candidate_entry.hpp"
#include "actors/report/plot.hpp"

namespace actors::report {

struct operator_line {
  std::string name;
  std::string text;

  void fields(auto& f) {
    f("op_name", name);
    f("op_text", text);
  }
  friend bool operator==(const operator_line&, const operator_line&) = default;
};

struct job_section {
  std::string anchor;
  std::string task;
  std::string device;
  std::string dsl;
  std::string variant;
  std::string kind;  ///< "good", "plain" (correct, no real gain), "bad"
  std::string best;
  std::string speedup;
  std::string interval;
  std::string over_compile;  ///< speedup over torch.compile, where that was a baseline
  std::string standing;
  std::string roofline;
  std::string roofline_note;
  std::string bottleneck;         ///< its class; empty: not profiled
  std::string bottleneck_note;    ///< and why
  std::string tried;              ///< "9 / 12": correct of those tried
  std::string counts;             ///< "12 candidates tried, 9 correct"
  std::string stop;               ///< a word
  std::string stopped;            ///< what it means
  std::string problem;            ///< why the task or the machinery failed, or why nothing was found
  std::vector<labelled> lines;    ///< seed, strategy, agents
  std::vector<labelled> judging;  ///< of the best, else of the last judged
  std::vector<labelled> environment;
  code_text task_code;
  std::vector<operator_line> operators;
  std::string graph_note;
  std::optional<plot> speedups;
  std::optional<plot> times;
  std::optional<plot> timeline;
  std::vector<candidate_entry> candidates;
  std::vector<code_text> shared_codes;  ///< sources of several candidates
  std::string left_out;

  void fields(auto& f) {
    f("anchor", anchor);
    f("task", task);
    f("device", device);
    f("dsl", dsl);
    f("variant", variant);
    f("job_kind", kind);
    f("best", best);
    f("speedup", speedup);
    f("interval", interval);
    f("over_compile", over_compile);
    f("standing", standing);
    f("roofline", roofline);
    f("roofline_note", roofline_note);
    f("bottleneck", bottleneck);
    f("bottleneck_note", bottleneck_note);
    f("tried", tried);
    f("counts", counts);
    f("stop", stop);
    f("stopped", stopped);
    f("problem", problem);
    f("job_lines", lines);
    f("judging", judging);
    f("environment", environment);
    f("task_code", task_code);
    f("operators", operators);
    f("graph_note", graph_note);
    f("speedup_plot", speedups);
    f("time_plot", times);
    f("timeline", timeline);
    f("candidates", candidates);
    f("shared_codes", shared_codes);
    f("left_out", left_out);
  }
  friend bool operator==(const job_section&, const job_section&) = default;
};

struct comparison_row {
  std::string subject;
  std::vector<std::string> cells;  ///< one for each variant

  void fields(auto& f) {
    f("subject", subject);
    f("cells", cells);
  }
  friend bool operator==(const comparison_row&, const comparison_row&) = default;
};

/// Variants side by side.
struct comparison {
  std::vector<std::string> variants;
  std::vector<comparison_row> means;
  std::vector<comparison_row> rows;  ///< a task, device and DSL each
  std::string note;

  void fields(auto& f) {
    f("variants", variants);
    f("means", means);
    f("comparison_rows", rows);
    f("comparison_note", note);
  }
  friend bool operator==(const comparison&, const comparison&) = default;
};

struct report_model {
  std::string title;
  std::string ended;
  bool complete = false;
  std::vector<labelled> lines;
  std::string config;
  std::string mean;
  std::optional<plot> overview;
  std::vector<job_section> jobs;
  std::optional<comparison> compared;
  std::string left_out;

  void fields(auto& f) {
    f("title", title);
    f("ended", ended);
    f("complete", complete);
    f("run_lines", lines);
    f("config", config);
    f("mean", mean);
    f("overview", overview);
    f("jobs", jobs);
    f("compared", compared);
    f("report_left_out", left_out);
  }
  friend bool operator==(const report_model&, const report_model&) = default;
};

}  // namespace actors::report
