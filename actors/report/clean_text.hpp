#pragma once
// What comes from outside (tasks, candidates, names, error texts) made fit for a page or a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace actors::report {

/// Valid UTF-8 with newlines and tabs as the only control characters. Terminal sequences go as a whole, as do marks
/// that reorder or hide text; what is not UTF-8 becomes U+FFFD.
std::string clean(std::string_view text);

/// `clean`, on one line, at most `limit` bytes; what was cut ends in "...".
std::string clean_line(std::string_view text, std::size_t limit = 300);

/// `clean`, on one line, whole however long: it is copied.
std::string clean_path(std::string_view text);

/// `clean`, at most `limit` bytes, cut between characters.
std::string clean_block(std::string_view text, std::size_t limit);

/// For text and for attributes in double or single quotes.
std::string html_escape(std::string_view text);

/// Characters, not bytes, of valid UTF-8.
std::size_t width_of(std::string_view text);

/// Broken between words so that no line is longer than `width`, words that are longer themselves excepted.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace actors::report
