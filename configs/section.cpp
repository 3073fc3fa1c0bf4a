#include "configs/section.hpp"

#include <algorithm>

namespace configs {

namespace {

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string{key} : path + "." + std::string{key};
}

/// `is the text "many"`
std::string described(const yaml_node& x) {
  if (x.kind == yaml_kind::null) return "has no value";
  if (x.kind == yaml_kind::list) return "is a list";
  if (x.kind == yaml_kind::map) return "is a group of keys";
  return (x.quoted ? "is the text " : "is ") + in_quotes(x.text);
}

}  // namespace

std::optional<yaml_node> parse_root(std::string_view text, problem_list& problems) {
  auto root = parse_yaml(text);
  if (!root) {
    problems.add(root.error().at, root.error().sentence);
    return {};
  }
  if (root->kind == yaml_kind::map) return *std::move(root);
  problems.add({1, 1}, root->kind == yaml_kind::null
                           ? "no key is set; start from one of the documented examples in configs/"
                           : "this is no config: it does not consist of lines such as \"name: value\"; is it the right "
                             "file?");
  return {};
}

yaml_node alone(const yaml_node& value, std::string_view key) {
  return {.kind = yaml_kind::map,
          .at = value.at,
          .items = {value},
          .keys = {std::string{key}},
          .key_positions = {value.at}};
}

section_keys::section_keys(const yaml_node& map, std::string path, reading state)
    : map_(map), path_(std::move(path)), state_(state), problems_before_(state.problems.size()) {
  report_repeated(map_, path_);
}

std::string section_keys::path_of(std::string_view key) const { return joined(path_, key); }

const yaml_node* section_keys::take(std::string_view key) {
  asked_.emplace_back(key);
  auto found = std::find(map_.keys.begin(), map_.keys.end(), key);
  return found == map_.keys.end() ? nullptr : &map_.items[static_cast<std::size_t>(found - map_.keys.begin())];
}

void section_keys::report_repeated(const yaml_node& map, const std::string& path) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    auto first =
        std::find(map.keys.begin(), map.keys.begin() + static_cast<std::ptrdiff_t>(i), map.keys[i]) - map.keys.begin();
    if (static_cast<std::size_t>(first) == i) continue;
    state_.problems.add(map.key_positions[i],
                        in_quotes(joined(path, map.keys[i])) + " is given twice, first in line "
                            + std::to_string(map.key_positions[static_cast<std::size_t>(first)].line)
                            + "; remove one of them");
  }
}

void section_keys::check(bool ok, std::string_view key, std::string sentence) {
  if (ok || state_.problems.size() > problems_before_) return;
  auto found = std::find(map_.keys.begin(), map_.keys.end(), key);
  state_.problems.add(
      found == map_.keys.end() ? map_.at : map_.key_positions[static_cast<std::size_t>(found - map_.keys.begin())],
      in_quotes(path_of(key)) + " " + std::move(sentence));
}

void section_keys::finish() {
  for (std::size_t i = 0; i < map_.keys.size(); ++i) {
    if (std::find(asked_.begin(), asked_.end(), map_.keys[i]) != asked_.end()) continue;
    auto where = path_.empty() ? "" : " in " + in_quotes(path_);
    state_.problems.add(map_.key_positions[i], "unknown key " + in_quotes(map_.keys[i]) + where
                                                   + suggestion(map_.keys[i], asked_, "the keys here are"));
  }
}

void section_keys::need(std::string_view key, const std::string& wanted) {
  if (std::find(map_.keys.begin(), map_.keys.end(), key) != map_.keys.end()) return;
  state_.problems.add(map_.at, in_quotes(path_of(key)) + " is missing; give " + wanted);
}

void section_keys::wrong(const place& at, const std::string& wanted, const std::string& hint) {
  state_.problems.add(at.node.at, in_quotes(at.path) + " " + described(at.node) + "; give " + wanted + hint);
}

bool section_keys::readable(const yaml_node& node, bool quotes_allowed) {
  return node.kind == yaml_kind::scalar && (!node.quoted || quotes_allowed);
}

void section_keys::each_key(const place& at, const std::function<void(const std::string&, const place&)>& visit) {
  report_repeated(at.node, at.path);
  for (std::size_t i = 0; i < at.node.keys.size(); ++i)
    visit(at.node.keys[i], {at.node.items[i], joined(at.path, at.node.keys[i])});
}

void section_keys::each_item(const place& at, const std::function<void(const place&)>& visit) {
  if (at.node.kind != yaml_kind::list) return visit(at);
  for (std::size_t i = 0; i < at.node.items.size(); ++i)
    visit({at.node.items[i], at.path + "[" + std::to_string(i) + "]"});
}

}  // namespace configs
