#pragma once
// What a bench of a suite found out, from its run's facts alone.

#include <string>
#include <vector>

#include "actors/logic/job_state.hpp"
#include "messages/records/bench.hpp"

namespace actors::report {

/// The jobs of one problem (targets x repeats), borrowed.
struct problem_jobs {
  std::string problem;
  std::vector<const logic::job_state*> jobs;

  bool finished() const;  ///< all of them
};

/// In the order of the run's spec. Jobs without a problem are left out.
std::vector<problem_jobs> problems_of(const logic::run_state& run);

/// Of each repeat the fastest kernel counts, over repeats the geometric mean.
messages::bench_result result_of(const problem_jobs& x);

/// Over the problems that have ended. `results` and `report` are left empty.
messages::bench_document bench_document_of(const logic::run_state& run);

/// For people: the figures, then what was not solved. Ends with a newline.
std::string text_of(const messages::bench_document& x);

}  // namespace actors::report
