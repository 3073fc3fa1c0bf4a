#include "actors/cli/completion.hpp"

#include <algorithm>

#include "configs/bounded_file.hpp"
#include "configs/wording.hpp"
#include "dsl/mustache.hpp"

namespace actors::cli {

using namespace messages;
using dsl::template_data;

namespace {

/// What stands between single quotes in three shells.
std::string quotable(const std::string& text) {
  std::string out;
  for (char c : text)
    if (c == ':')
      out += ',';
    else if (c != '\'' && c != '\\' && c != '`' && c != '$' && c != '"')
      out += c;
  return out;
}

struct tree_writer {
  template_data commands = dsl::template_list();  // all of them, outer ones first
  template_data levels = dsl::template_list();    // what may stand at each place

  void add(const command_description& x, const std::string& path) {
    auto items = dsl::template_list(), flags = dsl::template_list();
    std::string words;
    auto offer = [&](const std::string& word, const std::string& help) {
      template_data item{template_data::type::object};
      item["item"] = word;
      item["help"] = quotable(help);
      items.push_back(item);
      words += (words.empty() ? "" : " ") + word;
    };
    for (const auto& inner : x.commands) offer(inner.name, inner.help);
    for (const auto& flag : x.flags) {
      offer("--" + flag.name, flag.help);
      template_data one{template_data::type::object};
      one["flag"] = flag.name;
      one["takes_value"] = flag.takes_value;
      one["help"] = quotable(flag.help);
      flags.push_back(one);
    }
    template_data level{template_data::type::object};
    level["path"] = path;
    level["words"] = words;
    level["items"] = std::move(items);
    levels.push_back(level);
    if (!path.empty()) add_command(x, path, std::move(flags));
    for (const auto& inner : x.commands) add(inner, path.empty() ? inner.name : path + ' ' + inner.name);
  }

private:
  void add_command(const command_description& x, const std::string& path, template_data flags) {
    auto space = path.rfind(' ');
    template_data command{template_data::type::object};
    command["name"] = x.name;
    command["path"] = path;
    command["parent"] = space == std::string::npos ? std::string{} : path.substr(0, space);
    command["outer"] = space == std::string::npos;
    command["help"] = quotable(x.help);
    command["flags"] = std::move(flags);
    commands.push_back(command);
  }
};

}  // namespace

std::vector<std::string> known_shells() { return {"bash", "zsh", "fish"}; }

expected<std::string> completion_script(const std::filesystem::path& templates, const std::string& shell,
                                        const command_description& root) {
  auto shells = known_shells();
  if (std::ranges::find(shells, shell) == shells.end())
    return fail(failure_code::bad_input,
                "there is no completion for " + configs::in_quotes(shell) + "; known: " + configs::listed(shells));
  auto page = configs::read_file(
      {.path = templates / (shell + ".mustache"), .what = "completion", .code = failure_code::misconfigured});
  if (!page) return tl::unexpected{page.error()};
  tree_writer tree;
  tree.add(root, "");
  template_data data{template_data::type::object};
  data["commands"] = std::move(tree.commands);
  data["levels"] = std::move(tree.levels);
  return dsl::render(*page, data, "the completion of " + shell);
}

}  // namespace actors::cli
