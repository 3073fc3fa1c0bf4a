#include "llm_client/secret.hpp"

#include <sys/stat.h>

#include "configs/bounded_file.hpp"
#include "configs/wording.hpp"

namespace llm_client {

namespace {

constexpr std::size_t shortest_scrubbed = 6;  // shorter texts occur by chance

std::string trimmed(const std::string& text) {
  constexpr auto space = " \t\r\n";
  auto begin = text.find_first_not_of(space);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// A header's value: what is not visible ASCII would end the header, or be refused far from here.
bool may_be_key(const std::string& x) {
  return !x.empty() && x.size() <= 8192 && std::all_of(x.begin(), x.end(), [](char c) { return c > ' ' && c < 127; });
}

messages::expected<secret> checked(const std::string& text, const std::string& where) {
  auto key = trimmed(text);
  if (may_be_key(key)) return secret{std::move(key)};
  return messages::fail(messages::failure_code::misconfigured,
                        key.empty()
                            ? where + " is empty or not set; put the key of the provider there"
                            : where + " has blanks or other characters that no key has; put the key alone there");
}

messages::expected<secret> from_file(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return messages::fail(messages::failure_code::misconfigured,
                          "the key file " + path + " is open to other users; close it: chmod 600 " + path);
  auto text = configs::read_file(
      {.path = path, .what = "key file", .limit_bytes = 64u << 10, .code = messages::failure_code::misconfigured});
  if (!text) return tl::unexpected{text.error()};
  return checked(*text, "the key file " + path);
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string secret::scrub(std::string text) const {
  if (value_.size() < shortest_scrubbed) return text;
  replace_all(text, value_, "[key]");
  // "Incorrect API key provided: sk-proj-********ab12": the ends of a long key are part of it.
  if (value_.size() >= 4 * shortest_scrubbed) {
    replace_all(text, std::string_view{value_}.substr(0, 2 * shortest_scrubbed), "[key]");
    replace_all(text, std::string_view{value_}.substr(value_.size() - 2 * shortest_scrubbed), "[key]");
  }
  return text;
}

messages::expected<secret> load_key(const configs::llm_provider_options& provider,
                                    const configs::surroundings& around) {
  if (!provider.key_variable.empty())
    return checked(around.variable(provider.key_variable), "the environment variable " + provider.key_variable);
  if (!provider.key_file.empty()) return from_file(provider.key_file);
  return secret{};
}

}  // namespace llm_client
