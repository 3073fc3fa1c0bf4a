#include "dsl/manifest.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "dsl/manifest_rules.hpp"
#include "messages/wire/wire.hpp"

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;
namespace fs = std::filesystem;

namespace {

expected<std::string> read_text(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in || fs::is_directory(file)) return fail(failure_code::not_found, file.string() + ": can't be read");
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

/// What a record does not know: the first key of a map in `given` that the same place in `known` lacks.
std::optional<std::string> unknown_key(const wire::node& given, const wire::node& known);

std::optional<std::string> unknown_in_map(const wire::node& given, const wire::node& known) {
  const auto* key = &given + 1;
  for (std::uint32_t i = 0; i < given.size; ++i) {
    const auto* value = key + key->extent;
    const auto* other = &known + 1;
    for (std::uint32_t j = 0; j < known.size && !other->is_key(key->text()); ++j) other += 1 + (other + 1)->extent;
    auto name = std::string{key->text()};
    if (other == &known + known.extent) return name;
    if (auto inner = unknown_key(*value, other[1])) return name + (inner->front() == '[' ? "" : ".") + *inner;
    key = value + value->extent;
  }
  return std::nullopt;
}

std::optional<std::string> unknown_in_array(const wire::node& given, const wire::node& known) {
  const auto* a = &given + 1;
  const auto* b = &known + 1;
  for (std::uint32_t i = 0; i < std::min(given.size, known.size); ++i, a += a->extent, b += b->extent) {
    if (auto inner = unknown_key(*a, *b)) return '[' + std::to_string(i) + "]." + *inner;
  }
  return std::nullopt;
}

std::optional<std::string> unknown_key(const wire::node& given, const wire::node& known) {
  if (given.kind != known.kind) return std::nullopt;
  if (given.kind == wire::kind::map) return unknown_in_map(given, known);
  if (given.kind == wire::kind::array) return unknown_in_array(given, known);
  return std::nullopt;
}

tl::unexpected<messages::failure> bad(const fs::path& file, const std::string& problem) {
  return fail(failure_code::misconfigured, file.string() + ": " + problem);
}

template <class Manifest>
expected<Manifest> read_manifest(const fs::path& file) {
  auto text = read_text(file);
  if (!text) return tl::unexpected{text.error()};
  auto x = wire::from_json<Manifest>(*text);
  if (!x) return bad(file, to_string(x.error()));
  auto given = wire::parse_json(*text);
  auto whole = wire::to_json(*x);
  auto known = wire::parse_json(whole);
  if (!known) return bad(file, to_string(known.error()));
  if (auto key = unknown_key(given->nodes.front(), known->nodes.front())) return bad(file, *key + ": unknown key");
  if (auto problem = problem_of(*x)) return bad(file, *problem);
  if (auto folder = file.parent_path().filename(); folder != x->name) {
    return bad(file, "name: \"" + x->name + "\" is not the folder's name " + folder.string());
  }
  return *std::move(x);
}

expected<void> check_there(const language_files& x) {
  auto there = [&](const char* key, const std::vector<std::string>& names) -> expected<void> {
    for (const auto& name : names) {
      if (!fs::exists(x.folder / name)) return bad(x.folder / "manifest.json", key + (": no file " + name));
    }
    return {};
  };
  if (auto ok = there("adapter", {x.manifest.adapter}); !ok) return ok;
  if (auto ok = there("knowledge", x.manifest.knowledge); !ok) return ok;
  return there("examples", x.manifest.examples);
}

expected<void> load_texts(language_files& x) {
  auto load = [&](const std::string& key, const std::string& name, std::string& to) -> expected<void> {
    if (name.empty()) return {};
    auto text = read_text(x.folder / name);
    if (!text) return bad(x.folder / "manifest.json", key + ": no file " + name);
    to = *std::move(text);
    return {};
  };
  if (auto ok = load("program", x.manifest.program, x.program_template); !ok) return ok;
  if (auto ok = load("host", x.manifest.host, x.host_template); !ok) return ok;
  if (auto ok = load("export", x.manifest.exporter, x.export_template); !ok) return ok;
  for (const auto& [path, file] : x.manifest.support) {
    if (auto ok = load("support." + path, file, x.support[path]); !ok) return ok;
  }
  return check_there(x);
}

expected<std::map<std::string, std::string>> load_partials(const language_files& x) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, file] : x.manifest.partials) {
    auto text = read_text(x.folder / file);
    if (!text) return bad(x.folder / "manifest.json", "partials." + name + ": no file " + file);
    texts[name] = *std::move(text);
  }
  return texts;
}

expected<recipe_files> load_recipe(const fs::path& folder) {
  auto manifest = read_recipe_manifest(folder / "manifest.json");
  if (!manifest) return tl::unexpected{manifest.error()};
  auto text = read_text(folder / manifest->template_file);
  if (!text) return bad(folder / "manifest.json", "template: no file " + manifest->template_file);
  return recipe_files{*std::move(manifest), folder, *std::move(text), {}};
}

}  // namespace

expected<language_manifest> read_language_manifest(const fs::path& file) {
  return read_manifest<language_manifest>(file);
}

expected<recipe_manifest> read_recipe_manifest(const fs::path& file) { return read_manifest<recipe_manifest>(file); }

bool language_files::targets(std::string_view device_kind) const {
  return std::ranges::find(manifest.devices, device_kind) != manifest.devices.end();
}

const recipe_files* language_files::recipe(std::string_view name) const {
  auto found =
      std::ranges::find(recipes, name, [](const recipe_files& x) { return std::string_view{x.manifest.name}; });
  return found == recipes.end() ? nullptr : &*found;
}

expected<language_files> load_language(const fs::path& folder) {
  std::error_code ignored;
  language_files x;
  x.folder = fs::absolute(folder, ignored).lexically_normal();
  auto manifest = read_language_manifest(x.folder / "manifest.json");
  if (!manifest) return tl::unexpected{manifest.error()};
  x.manifest = *std::move(manifest);
  if (auto ok = load_texts(x); !ok) return tl::unexpected{ok.error()};
  auto partials = load_partials(x);
  if (!partials) return tl::unexpected{partials.error()};
  x.partials = *std::move(partials);
  for (const auto& name : x.manifest.recipes) {
    auto recipe = load_recipe(x.folder / "recipes" / name);
    if (!recipe) return tl::unexpected{recipe.error()};
    recipe->partials = x.partials;
    x.recipes.push_back(*std::move(recipe));
  }
  return x;
}

expected<registry> registry::load(const fs::path& folder) {
  std::error_code error;
  registry result;
  for (const auto& entry : fs::directory_iterator{folder, error}) {
    if (!fs::exists(entry.path() / "manifest.json")) continue;
    auto language = load_language(entry.path());
    if (!language) return tl::unexpected{language.error()};
    result.languages_.push_back(*std::move(language));
  }
  if (error) return fail(failure_code::not_found, folder.string() + ": " + error.message());
  if (result.languages_.empty()) return fail(failure_code::not_found, folder.string() + ": holds no DSL");
  std::ranges::sort(result.languages_, {}, [](const language_files& x) { return x.manifest.name; });
  return result;
}

const language_files* registry::find(std::string_view name) const {
  auto found =
      std::ranges::find(languages_, name, [](const language_files& x) { return std::string_view{x.manifest.name}; });
  return found == languages_.end() ? nullptr : &*found;
}

std::string registry::names() const {
  std::string text;
  for (const auto& x : languages_) text += (text.empty() ? "" : ", ") + x.manifest.name;
  return text;
}

const knob_manifest* find_knob(const recipe_manifest& recipe, std::string_view name) {
  auto found = std::ranges::find(recipe.knobs, name, [](const knob_manifest& x) { return std::string_view{x.name}; });
  return found == recipe.knobs.end() ? nullptr : &*found;
}

}  // namespace dsl
