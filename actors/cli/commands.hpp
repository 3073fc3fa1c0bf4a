#pragma once
// The commands. Each prints its answer on stdout, everything else on stderr, and returns the exit code.

#include "actors/cli/options.hpp"

namespace actors::cli {

exit_code optimize(const common_options& common, const optimize_options& options);
exit_code verify(const common_options& common, const verify_options& options);
exit_code run(const common_options& common, const run_options& options);
exit_code resume(const common_options& common, const resume_options& options);
exit_code status(const common_options& common, const status_options& options);
exit_code report(const common_options& common, const report_options& options);
exit_code export_best(const common_options& common, const export_options& options);
exit_code doctor(const common_options& common, const doctor_options& options);

}  // namespace actors::cli
