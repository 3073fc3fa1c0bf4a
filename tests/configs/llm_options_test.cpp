#include <doctest/doctest.h>

#include "configs/llm_keys.hpp"
#include "configs/section_reader.hpp"
#include "configs/system_config.hpp"
#include "tests/configs/files.hpp"

namespace llm_options_test {

using namespace configs;

namespace {

std::string llm_problems(const test::folder& folder, const std::string& llm) {
  return test::sentence_of(load_system_config(folder.write("s.yaml", "llm:\n" + llm)));
}

facts_table table_of(std::string_view text) {
  auto x = read_yaml<facts_table>(text, "f.yaml");
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  return *x;
}

}  // namespace

TEST_CASE("providers, models and roles are read, and files are relative to the config") {
  test::folder folder;
  auto x = load_system_config(folder.write(
      "s.yaml",
      "llm:\n"
      "  providers:\n"
      "    one: {protocol: messages, base_url: https://h/v1, key_file: keys/one, ca_file: ca.pem, proxy: none}\n"
      "    two: {dialect: llama.cpp, base_url: http://127.0.0.1:8080/v1}\n"
      "  models:\n"
      "    big: {provider: one, model: m, facts: {price: {input_usd: 1, output_usd: 2}, refuses: seed}}\n"
      "    small: {provider: two}\n"
      "  roles: {coder: [small, big], default: big}\n"
      "  facts: mine.yaml\n"
      "  deadlines: {idle: 5s}\n"));
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  const auto& llm = x->llm;
  CHECK(llm.providers.at("one").protocol == llm_protocol::messages);
  CHECK(llm.providers.at("one").key_file == (folder.path / "keys/one").string());
  CHECK(llm.providers.at("one").ca_file == (folder.path / "ca.pem").string());
  CHECK(llm.providers.at("two").dialect == llm_dialect::llama_cpp);
  CHECK(llm.facts == std::vector<std::string>{(folder.path / "mine.yaml").string()});
  CHECK(llm.models.at("big").facts.price->output_usd == 2);
  CHECK(llm.deadlines.idle == std::chrono::seconds{5});
  CHECK(models_of_role(llm, "coder") == std::vector<std::string>{"small", "big"});
  CHECK(models_of_role(llm, "planner") == std::vector<std::string>{"big"});
  CHECK(models_of_role({.models = llm.models}, "planner") == std::vector<std::string>{"big", "small"});
}

TEST_CASE("a key that stands in a config by mistake is in no sentence") {
  test::folder folder;
  const std::string key = "sk-proj-abcdefghijkl";
  for (const auto& line :
       {"base_url: https://h/v1, key_variable: " + key, "base_url: https://h/v1?key=" + key,
        "base_url: https://user:" + key + "@h/v1", "base_url: https://h/v1, proxy: http://u:" + key + "@p"}) {
    auto said = llm_problems(folder, "  providers: {one: {" + line + "}}\n");
    CHECK(said != "passed");
    CHECK(said.find(key) == said.npos);
  }
}

TEST_CASE("names that nothing has, and keys in two places, are refused") {
  test::folder folder;
  const std::string one = "  providers: {one: {base_url: https://h/v1}}\n";
  auto at = folder.path.string() + "/s.yaml:";
  CHECK(llm_problems(folder, one + "  models: {m: {provider: tow}}\n")
        == at + "3: \"llm.models\" has \"m\" of the provider \"tow\", which is not among \"providers\"; add it");
  CHECK(llm_problems(folder, one + "  models: {m: {provider: one}}\n  roles: {coder: [n]}\n")
        == at + "4: \"llm.roles\" gives \"coder\" the model \"n\", which is not among \"models\"; add it");
  CHECK(llm_problems(folder, "  providers: {one: {base_url: https://h/v1, key_variable: K, key_file: k}}\n")
        == at + "2: \"llm.providers.one.key_file\" stands beside \"key_variable\"; keep one of them");
  CHECK(llm_problems(folder, "  providers: {one: {protocol: chat}}\n").find("\"llm.providers.one.base_url\" is missing")
        != std::string::npos);
}

TEST_CASE("the table that comes along is read, and knows the models that its comments name") {
  auto table = load_facts(test::checkout() / "configs/model_facts.yaml");
  REQUIRE_MESSAGE(table, test::sentence_of(table));
  auto facts = [&](const std::string& model) { return facts_of(model, {*table}); };
  CHECK(facts("gpt-5-mini-2025-08-07").price->input_usd == 0.25);
  CHECK(facts("gpt-5").price->output_usd == 10);
  CHECK(facts("gpt-5").context_tokens == 400'000);
  CHECK_FALSE(facts("gpt-5-of-later").price);
  CHECK(facts("claude-opus-4-1-20250805").price->input_usd == 15);
  CHECK(facts("claude-opus-4-5").price->input_usd == 5);
  CHECK(facts("claude-sonnet-5-5").price->cache_write_usd == 2.5);
  CHECK(facts("anthropic/claude-opus-4.5").cache == cache_form::marked);
  CHECK_FALSE(facts("qwen3").price);
}

TEST_CASE("the first entry that says something counts, a table of yours before ours, and refusals add up") {
  auto ours = table_of(
      "models:\n  - {match: [\"ab*\"], context_tokens: 5, refuses: [seed]}\n"
      "  - {match: [\"*\"], context_tokens: 6, output_tokens: 7, refuses: [stop]}\n");
  auto yours = table_of("models: [{match: ABC, output_tokens: 8}]");
  auto x = facts_of("abc", {yours, ours});
  CHECK(x.context_tokens == 5);
  CHECK(x.output_tokens == 8);
  CHECK(x.refuses == std::vector<std::string>{"seed", "stop"});
  CHECK(facts_of("b", {yours, ours}).context_tokens == 6);
  auto stars = table_of("models: [{match: \"*a*b*\", context_tokens: 5}]");
  CHECK(facts_of("xxaxxb", {stars}).context_tokens == 5);
  CHECK_FALSE(facts_of("xxbxxa", {stars}).context_tokens);
}

TEST_CASE("dollars count each kind of token once, and nothing where the price is not known") {
  model_price price{.input_usd = 10, .output_usd = 100, .cached_input_usd = 1};
  CHECK(*dollars(price, {.input = 1'000'000}) == doctest::Approx(10));
  CHECK(*dollars(price, {.input = 1'000'000, .cached_input = 500'000, .cache_written = 250'000, .output = 10'000})
        == doctest::Approx(2.5 + 0.5 + 2.5 + 1));
  CHECK_FALSE(dollars(std::nullopt, {.input = 5}));
}

}  // namespace llm_options_test
