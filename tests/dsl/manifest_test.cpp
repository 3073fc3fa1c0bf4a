#include "dsl/manifest.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/dsl/folders.hpp"

namespace manifest_test {

namespace {

using namespace dsl::testing;

const std::string language = R"({"name": "toy", "summary": "s", "devices": ["cpu"], "extension": "t",
  "adapter": "adapter.py", "recipes": ["copy"]})";
const std::string recipe = R"({"name": "copy", "covers": "all", "template": "t.mustache",
  "knobs": [{"name": "block", "values": [1, 2], "default": 1, "meaning": "m"},
            {"name": "way", "kind": "choice", "values": ["a", "b"], "default": "a", "meaning": "m"}],
  "presets": [{"name": "standard"}], "remedies": {"crash": [{"why": "w", "knobs": {"block": 2}}]}})";

/// A DSL folder of these two manifests.
std::string problem_of(const std::string& language_text, const std::string& recipe_text) {
  temporary_folder folder;
  folder.write("toy/manifest.json", language_text);
  folder.write("toy/adapter.py", "text");
  folder.write("toy/recipes/copy/manifest.json", recipe_text);
  folder.write("toy/recipes/copy/t.mustache", "text");
  auto loaded = dsl::registry::load(folder.path);
  if (loaded) return {};
  auto detail = loaded.error().detail;
  return detail.starts_with(folder.path.string()) ? detail.substr(folder.path.string().size() + 1) : detail;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a folder with manifests is a DSL") {
  CHECK(problem_of(language, recipe) == "");
  auto loaded = dsl::registry::load(KERNELMESH_SOURCE_FOLDER "/dsl");
  REQUIRE_MESSAGE(loaded, loaded.error().detail);
  const auto* cpp = loaded->find("cpp");
  REQUIRE(cpp != nullptr);
  CHECK(cpp->targets("cpu"));
  CHECK(!cpp->targets("cuda"));
  CHECK(std::filesystem::exists(cpp->adapter()));
  CHECK(cpp->recipe("map") != nullptr);
  CHECK(cpp->recipe("no") == nullptr);
  CHECK(loaded->find("no") == nullptr);
}

TEST_CASE("a wrong manifest is told with file and key") {
  const std::string toy = "toy/manifest.json: ", copy = "toy/recipes/copy/manifest.json: ";
  CHECK(problem_of(with(language, "\"summary\"", "\"summry\""), recipe) == toy + "summry: unknown key");
  CHECK(problem_of(with(language, "[\"cpu\"]", "\"cpu\""), recipe) == toy + "devices: expected array, got string");
  CHECK(problem_of(with(language, "toy", "toi"), recipe) == toy + "name: \"toi\" is not the folder's name toy");
  CHECK(problem_of(with(language, "adapter.py", "no.py"), recipe) == toy + "adapter: no file no.py");
  CHECK(problem_of(with(language, "adapter.py", "../a.py"), recipe) == toy + "adapter: \"../a.py\" leaves the folder");
  CHECK(problem_of(language, with(recipe, "\"default\": 1", "\"default\": 3"))
        == copy + "knobs[0].default: 3 is not among the values");
  CHECK(problem_of(language, with(recipe, "[1, 2]", "[2, 1]")) == copy + "knobs[0].values: are not ascending");
  CHECK(problem_of(language, with(recipe, "\"b\"]", "7]")) == copy + "knobs[1].values: 7 is no word");
  CHECK(problem_of(language, with(recipe, "\"meaning\": \"m\"", "\"meening\": \"m\""))
        == copy + "knobs[0].meening: unknown key");
  CHECK(problem_of(language, with(recipe, "\"block\": 2", "\"block\": 5"))
        == copy + "remedies.crash[0].knobs.block: 5 is not among the values 1, 2");
  CHECK(problem_of(language, with(recipe, "\"crash\"", "\"crush\"")) == copy + "remedies.crush: is no kind of failure");
  CHECK(problem_of(language, with(recipe, "t.mustache", "u.mustache")) == copy + "template: no file u.mustache");
}

TEST_CASE("a folder without any DSL is an error") {
  temporary_folder folder;
  CHECK(!dsl::registry::load(folder.path));
  CHECK(!dsl::registry::load(folder.path / "no"));
}

}  // namespace manifest_test
