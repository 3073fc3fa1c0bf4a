#pragma once
// A provider's key: prints as nothing, compares with nothing, and is in no record.

#include <iosfwd>
#include <string>
#include <string_view>

#include "configs/llm_options.hpp"
#include "configs/surroundings.hpp"

namespace llm_client {

class secret {
public:
  secret() = default;
  explicit secret(std::string value) : value_(std::move(value)) {}

  bool empty() const { return value_.empty(); }

  /// For the header of a request and nothing else.
  const std::string& reveal() const { return value_; }

  /// The text with the key, and what a server shows of it, replaced by "[key]": servers repeat keys in their errors.
  std::string scrub(std::string text) const;

  friend std::ostream& operator<<(std::ostream& out, const secret&) { return out; }

private:
  std::string value_;
};

/// From the variable or the file that the provider's options name; empty where they name none. White space around it
/// is dropped. Failure: misconfigured, in a sentence that names the variable or the file.
messages::expected<secret> load_key(const configs::llm_provider_options& provider, const configs::surroundings& around);

}  // namespace llm_client
