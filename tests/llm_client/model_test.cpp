#include "llm_client/model.hpp"

#include <doctest/doctest.h>

#include "tests/configs/files.hpp"

namespace model_test {

namespace {

configs::llm_options two_models() {
  configs::llm_options x;
  x.providers["one"] = {.base_url = "https://h/v1", .key_variable = "KEY_ONE"};
  x.providers["two"] = {.base_url = "https://i/v1", .key_variable = "KEY_TWO"};
  x.models["big"] = {.provider = "one", .model = "gpt-5", .facts = {.output_tokens = 5}};
  x.models["small"] = {.provider = "two"};
  return x;
}

}  // namespace

TEST_CASE("a model without its key is not usable, and the others are") {
  auto list = llm_client::load_models(two_models(), {}, test::around({{"KEY_ONE", "k-1234"}}));
  REQUIRE(list.usable.size() == 1);
  CHECK(list.usable.at("big")->served_as == "gpt-5");
  CHECK(list.usable.at("big")->key.reveal() == "k-1234");
  CHECK(list.unusable.at("small").detail.find("KEY_TWO") != std::string::npos);
}

TEST_CASE("facts of the config stand before those of the tables, in the order of the files") {
  test::folder folder;
  auto options = two_models();
  options.facts = {
      folder.write("mine.yaml", "models: [{match: \"gpt-*\", context_tokens: 9, output_tokens: 9}]").string()};
  auto of_install = folder.write("ours.yaml", "models: [{match: \"*\", context_tokens: 8, reasoning: effort}]");
  auto tables = llm_client::load_tables(options, of_install);
  REQUIRE(tables);
  auto list = llm_client::load_models(options, *tables, test::around({{"KEY_ONE", "k"}, {"KEY_TWO", "k"}}));
  const auto& facts = list.usable.at("big")->facts;
  CHECK(facts.output_tokens == 5);
  CHECK(facts.context_tokens == 9);
  CHECK(facts.reasoning == configs::reasoning_form::effort);
  CHECK(list.usable.at("small")->facts.context_tokens == 8);
  options.facts = {"/nowhere.yaml"};
  CHECK(test::sentence_of(llm_client::load_tables(options, of_install)).find("/nowhere.yaml") != std::string::npos);
}

}  // namespace model_test
