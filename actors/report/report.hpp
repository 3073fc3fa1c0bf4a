#pragma once
// The page of a run: one HTML file that needs nothing else.

#include <span>
#include <string>

#include "actors/logic/job_state.hpp"
#include "actors/report/report_model.hpp"
#include "messages/blobs/blob_store.hpp"

namespace actors::report {

/// What keeps a page readable and under about 20 MB. Sizes are those of the finished page.
struct report_options {
  std::size_t code_bytes = 200'000;             ///< of one source file; the rest is cut
  std::size_t all_code_bytes = 8'000'000;       ///< of all sources of the run together
  std::size_t unfolded = 40;                    ///< a job with no more candidates than this has details for each
  std::size_t unfolded_best = 8;                ///< else for its fastest correct ones
  std::size_t unfolded_rejected = 8;            ///< and for the first rejected ones
  std::size_t all_unfolded_candidates = 3'000;  ///< of the run
  std::size_t all_rows = 10'000;                ///< candidates of the run that have a row
  std::size_t operators = 200;                  ///< of a job's op graph
  std::size_t points = 400;                     ///< of a plot
  std::size_t all_points = 20'000;              ///< of the run's plots
};

/// Borrows.
struct report_order {
  const logic::run_state& run;
  const blobs::blob_store& blobs;         ///< a blob that is missing is named in the place of its text
  std::span<const messages::fact> facts;  ///< of the run, for when things happened; none: no timeline
};

/// Pure but for reading blobs.
report_model report_of(const report_order& order, const report_options& options = {});

/// @param page the text of report.html.mustache, which lies beside this header
/// Fails with `misconfigured` where the page is no template.
messages::expected<std::string> render_html(const report_model& model, const std::string& page);

}  // namespace actors::report
