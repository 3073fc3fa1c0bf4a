#include "configs/model_facts.hpp"

#include <cctype>

#include "configs/bounded_file.hpp"
#include "configs/llm_keys.hpp"
#include "configs/section_reader.hpp"

namespace configs {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// '*' stands for any text; one look back is enough, so no pattern is slow.
bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && same_letter(pattern[p], text[t])) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace

void model_facts::complete_from(const model_facts& other) {
  auto take = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  take(context_tokens, other.context_tokens);
  take(output_tokens, other.output_tokens);
  take(price, other.price);
  take(reasoning, other.reasoning);
  take(structured, other.structured);
  take(cache, other.cache);
  for (const auto& x : other.refuses)
    if (std::find(refuses.begin(), refuses.end(), x) == refuses.end()) refuses.push_back(x);
}

model_facts facts_of(const std::string& model, const std::vector<facts_table>& tables) {
  model_facts out;
  for (const auto& table : tables)
    for (const auto& entry : table.models)
      if (std::any_of(entry.match.begin(), entry.match.end(), [&](const auto& x) { return fits_pattern(model, x); }))
        out.complete_from(entry.facts);
  return out;
}

messages::expected<facts_table> load_facts(const std::filesystem::path& file) {
  auto text = read_file({.path = file,
                         .what = "table of model facts",
                         .limit_bytes = yaml_limits{}.bytes,
                         .code = messages::failure_code::misconfigured});
  if (!text) return tl::unexpected{text.error()};
  return read_yaml<facts_table>(*text, file.string());
}

std::optional<double> dollars(const std::optional<model_price>& price, const priced_tokens& tokens) {
  if (!price) return std::nullopt;
  auto plain = tokens.input - std::min(tokens.input, tokens.cached_input + tokens.cache_written);
  auto cost = static_cast<double>(plain) * price->input_usd
              + static_cast<double>(tokens.cached_input) * price->cached_input_usd.value_or(price->input_usd)
              + static_cast<double>(tokens.cache_written) * price->cache_write_usd.value_or(price->input_usd)
              + static_cast<double>(tokens.output) * price->output_usd;
  return cost / 1e6;
}

std::vector<std::string> models_of_role(const llm_options& options, const std::string& role) {
  for (const auto& name : {role, std::string{"default"}})
    if (auto found = options.roles.find(name); found != options.roles.end()) return found->second;
  std::vector<std::string> all;
  for (const auto& [name, model] : options.models) all.push_back(name);
  return all;
}

}  // namespace configs
