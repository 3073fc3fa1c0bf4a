#pragma once
// How a command ends: with an exit code, or with a complaint that says why it gives no answer.

#include <string>

#include "actors/cli/options.hpp"
#include "messages/records/failure.hpp"

namespace actors::cli {

/// What the failure means for the exit code.
exit_code code_of(const messages::failure& x);

struct complaint {
  messages::failure what;  ///< one sentence; the way out is in it
  exit_code code;

  complaint(messages::failure x) : what(std::move(x)), code(code_of(what)) {}
  complaint(messages::failure x, exit_code c) : what(std::move(x)), code(c) {}
};

using outcome = tl::expected<exit_code, complaint>;

/// Where a sentence says that something is wrong: FILE:LINE that it begins with, else the first flag that it names,
/// else the command.
std::string place_in(const std::string& sentence, const std::string& command);

/// A sentence for people on stderr, nothing on stdout.
void warn(const messages::failure& x);

/// The sentence on stderr; with --json also an error_document on stdout.
exit_code complain(const complaint& x, bool json, const std::string& command);

}  // namespace actors::cli
