#include "configs/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>
#include <map>
#include <sstream>

#include "configs/bounded_file.hpp"

namespace configs {

namespace {

/// Leaves the parser from within its callbacks; caught in this file.
struct stopped {
  problem reason;
};

position place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

/// Builds the tree from the parser's events. A map waits for its next key where it has as many keys as items.
class tree_builder final : public YAML::EventHandler {
public:
  explicit tree_builder(const yaml_limits& limits) : limits_(limits) {}

  yaml_node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) stop(place_of(mark), "a second document starts here; put it into a file of its own");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) stop(place_of(mark), "a key is empty; give it a name");
    add({.kind = yaml_kind::null, .at = place_of(mark)}, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    if (wants_key()) return add_key(place_of(mark), value);
    add({.kind = yaml_kind::scalar, .at = place_of(mark), .quoted = tag == "!", .text = value}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchored_.find(anchor);
    if (found == anchored_.end()) stop(place_of(mark), "an alias stands inside what it repeats; write it out");
    if (wants_key()) stop(place_of(mark), "an alias can't be a key; write the name out");
    charge(found->second, place_of(mark));
    place(found->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(yaml_kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(yaml_kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

private:
  struct open_node {
    yaml_node node;
    YAML::anchor_t anchor;
  };

  [[noreturn]] static void stop(position at, std::string sentence) { throw stopped{{at, std::move(sentence)}}; }

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      stop(place_of(mark), "tags (\"!!int\") are not understood; write the value alone");
  }

  bool wants_key() const {
    if (open_.empty()) return false;
    auto& x = open_.back().node;
    return x.kind == yaml_kind::map && x.keys.size() == x.items.size();
  }

  void add_key(position at, const std::string& key) {
    auto& x = open_.back().node;
    charge({.kind = yaml_kind::scalar, .text = key}, at);
    x.keys.push_back(key);
    x.key_positions.push_back(at);
  }

  void add(yaml_node x, YAML::anchor_t anchor) {
    charge(x, x.at);
    if (anchor != YAML::NullAnchor) anchored_[anchor] = x;
    place(std::move(x));
  }

  void place(yaml_node x) {
    if (open_.empty()) {
      root_ = std::move(x);
      return;
    }
    auto& parent = open_.back().node;
    // The parser marks an empty value where the next thing stands, often a line further down.
    if (x.kind == yaml_kind::null && parent.kind == yaml_kind::map) x.at = parent.key_positions.back();
    parent.items.push_back(std::move(x));
  }

  void open(yaml_kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    if (wants_key()) stop(place_of(mark), "a key is a list or a map; a key must be a name");
    if (open_.size() >= limits_.depth)
      stop(place_of(mark), "more than " + std::to_string(limits_.depth) + " levels of nesting; flatten it");
    yaml_node x{.kind = kind, .at = place_of(mark)};
    charge(x, x.at);
    open_.push_back({std::move(x), anchor});
  }

  void close() {
    auto x = std::move(open_.back());
    open_.pop_back();
    if (x.anchor != YAML::NullAnchor) anchored_[x.anchor] = x.node;
    place(std::move(x.node));
  }

  /// What aliases repeat is paid for each time, before it is copied.
  void charge(const yaml_node& x, position at) {
    text_bytes_ += x.text.size();
    for (auto& key : x.keys) text_bytes_ += key.size();
    nodes_ += 1 + x.keys.size();
    if (nodes_ > limits_.nodes || text_bytes_ > limits_.text_bytes)
      stop(at, "too much content, with what aliases repeat; split the file");
    for (auto& item : x.items) charge(item, at);
  }

  yaml_limits limits_;
  yaml_node root_;
  std::vector<open_node> open_;
  std::map<YAML::anchor_t, yaml_node> anchored_;
  std::size_t nodes_ = 0;
  std::size_t text_bytes_ = 0;
  std::size_t documents_ = 0;
};

}  // namespace

tl::expected<yaml_node, problem> parse_yaml(std::string_view text, const yaml_limits& limits) {
  if (text.size() > limits.bytes)
    return tl::unexpected{problem{{}, "the file is larger than " + worded_size(limits.bytes) + "; split it"}};
  try {
    std::istringstream in{std::string{text}};
    YAML::Parser parser{in};
    tree_builder builder{limits};
    // Twice and no more: a second document is refused, and on a stray comma the parser would go on for ever.
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    return builder.take();
  } catch (const stopped& x) {
    return tl::unexpected{x.reason};
  } catch (const YAML::Exception& x) {
    auto at = place_of(x.mark);
    return tl::unexpected{problem{at, "no valid YAML at column " + std::to_string(at.column) + " (" + x.msg
                                          + "); check indentation, quotes and brackets"}};
  }
}

}  // namespace configs
