#pragma once
// The parts of a page that report_of puts together, and the space they share.

#include <map>

#include "actors/report/report.hpp"
#include "messages/records/op_graph.hpp"

namespace actors::report {

/// What is left of the page. Each part takes from it.
struct page_space {
  std::size_t code_bytes = 0;
  std::size_t unfolded = 0;
  std::size_t rows = 0;
  std::size_t points = 0;

  /// As many of `wanted` as are left.
  static std::size_t take(std::size_t& from, std::size_t wanted);

  /// The part of one of `jobs` that still come; what it leaves over goes back.
  page_space share(std::size_t jobs);
  void give_back(const page_space& left_over);
};

/// A source, cut to what one may have and to what is left of the page.
code_text code_of(const std::string& path, const std::string& text, const report_options& options, page_space& space);

struct candidate_table {
  std::vector<candidate_entry> entries;
  std::vector<code_text> shared;  ///< sources that several of them have, each once
  std::string left_out;           ///< what is not shown, in one sentence; empty: nothing
};
candidate_table candidates_of(const logic::job_state& job, const blobs::blob_store& blobs,
                              const report_options& options, page_space& space);

/// One line an operator, inputs and outputs before and after. `left_out` says how many have no line.
struct operator_list {
  std::vector<operator_line> lines;
  std::string left_out;
};
operator_list operators_of(const messages::op_graph& graph, std::size_t most);

/// Nothing where all jobs are of one variant.
std::optional<comparison> compare_variants(const logic::run_state& run);

}  // namespace actors::report
