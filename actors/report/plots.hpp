#pragma once
// Where marks lie on the plots of a job.

#include <optional>
#include <vector>

#include "actors/logic/job_state.hpp"
#include "actors/report/report_model.hpp"

namespace actors::report {

/// Facts of one job in their order, borrowed.
using job_facts = std::vector<const messages::fact*>;

/// Speedup over eager of each timed candidate in the order they were made, with the best so far; rejected ones at the
/// foot. None where nothing was tried. At most `most` marks: gains first, then evenly chosen ones.
std::optional<plot> plot_speedups(const logic::job_state& job, std::size_t most);

/// Times of the fastest candidates beside their baselines, with intervals. None where nothing was timed.
std::optional<plot> plot_times(const logic::job_state& job);

/// When which stage of the job waited and ran. None without facts about stages.
/// @param facts the job's own
std::optional<plot> plot_timeline(const logic::job_state& job, const job_facts& facts, std::size_t most);

/// Speedups of the jobs' best kernels over eager and torch.compile, slowest first, on a scale of powers of two; jobs
/// without a kernel at the foot. None where fewer than two jobs have a timed kernel. At most `most` jobs.
std::optional<plot> plot_overview(const logic::run_state& run, std::size_t most);

/// Candidates that are correct and timed, fastest first, by speedup over eager.
std::vector<const logic::candidate_state*> fastest(const logic::job_state& job);

}  // namespace actors::report
