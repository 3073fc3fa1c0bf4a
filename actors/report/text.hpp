#pragma once
// What commands print for people: plain text without colours, for terminals of 80 columns. Each ends with a newline.

#include <string>
#include <vector>

#include "messages/records/command_documents.hpp"
#include "messages/records/documents.hpp"
#include "messages/records/run.hpp"

namespace actors::report {

/// The verdict first, then what it rests on; for a rejection the evidence.
std::string text_of(const messages::verify_document& x);

/// @param report path of the HTML file; empty: none was written
std::string text_of(const messages::optimize_document& x, const std::string& report = {});

/// A table of the jobs with a geometric mean. Jobs of several variants, repeats or devices say theirs.
std::string text_of(const messages::run_document& x);

/// Where its jobs stand: what is under way, or why they stopped.
std::string text_of(const messages::run_status& x);

/// A line a run.
std::string text_of(const std::vector<messages::run_status>& runs);

/// What a run would take.
std::string text_of(const messages::estimate_document& x);

/// One job of it on one line: "relu: searching, 3/5 correct, 1.52x, now verify of 3f2a91c0".
std::string line_of(const messages::job_status& x);

}  // namespace actors::report
