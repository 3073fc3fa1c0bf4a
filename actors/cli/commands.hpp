#pragma once
// The commands. Each prints its answer on stdout, everything else on stderr, and returns the exit code; who calls it
// says its complaint.

#include "actors/cli/outcome.hpp"

namespace actors::cli {

outcome optimize(const common_options& common, const optimize_options& options);
outcome verify(const common_options& common, const verify_options& options);
outcome bench_kernelbench(const common_options& common, const bench_options& options);
outcome run(const common_options& common, const run_options& options);
outcome resume(const common_options& common, const resume_options& options);
outcome status(const common_options& common, const status_options& options);
outcome watch(const common_options& common, const watch_options& options);
outcome trace(const common_options& common, const trace_options& options);
outcome report(const common_options& common, const report_options& options);
outcome export_best(const common_options& common, const export_options& options);
outcome doctor(const common_options& common, const doctor_options& options);

outcome join(const common_options& common, const join_command_options& options);
outcome certs_new(const common_options& common, const certs_options& options);
outcome certs_token(const common_options& common, const certs_options& options);

}  // namespace actors::cli
