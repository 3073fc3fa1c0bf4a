#pragma once
// What a run leaves behind: documents, exports, the report.

#include <filesystem>
#include <optional>
#include <string>

#include "actors/cli/place.hpp"
#include "actors/logic/job_state.hpp"
#include "messages/records/documents.hpp"

namespace actors::cli {

/// Is there a run of that name? `bad_input` if it can be none's, `not_found`.
messages::expected<void> check_run(const std::filesystem::path& state, const messages::run_id& run);

/// A run as its journal has it.
messages::expected<logic::run_state> load_run(const std::filesystem::path& state, const messages::run_id& run);

struct result_sources {
  place where;
  std::filesystem::path state;
  blobs::blob_store store;
  std::shared_ptr<const dsl::language_set> languages;
};

messages::expected<result_sources> open_results(const place& where, const std::filesystem::path& state);

/// One self-contained Python file of the job's best candidate. `not_found` if it has none.
messages::expected<std::string> export_text(const result_sources& from, const logic::job_state& job);

messages::expected<std::string> report_html(const result_sources& from, const logic::run_state& run);

/// Writes exports (one a job with a best candidate) and report.html into the folder, and says in the documents where.
messages::expected<messages::run_document> write_results(const result_sources& from, const logic::run_state& run,
                                                         const std::filesystem::path& folder);

/// All jobs of a run, nothing written.
messages::run_document document_of(const logic::run_state& run);

/// A kernel. Returns the task of an earlier export of ours whose place it took; none if there was nothing. Failure:
/// bad_input, where that would take the place of a file that is somebody else's; else as write_file.
messages::expected<std::optional<std::string>> write_export(const std::filesystem::path& file, const std::string& text);

/// A page or document of ours, in the place of an earlier one, of nothing or of an empty file. Failure: bad_input where
/// somebody else's file is there; else as write_file.
messages::expected<void> write_document(const std::filesystem::path& file, const std::string& text);

/// Whole or not at all; where it is a link, to the file behind it. Failure: storage; bad_input where no file can be.
messages::expected<void> write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace actors::cli
