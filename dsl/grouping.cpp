#include "dsl/grouping.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "dsl/floor.hpp"
#include "dsl/lowering.hpp"
#include "dsl/plan_cost.hpp"

namespace dsl {

namespace {

using messages::graph_node;
using group_id = std::size_t;

bool is_anchor(const graph_node& node) { return !is_view(node) && find_lowering(node.op) == nullptr; }

/// Values that a node writes to: of copy_ its first tensor, of a norm in training its running statistics.
std::vector<std::string_view> written_by(const graph_node& node) {
  std::vector<std::string_view> written;
  auto add = [&](std::string_view argument) {
    const auto* found = find_argument(node, argument);
    if (const auto* name = found ? value_name(*found) : nullptr) written.emplace_back(*name);
  };
  if (node.op.ends_with('_')) add("self");
  if (node.op.find("batch_norm") != std::string::npos)
    for (const auto* x : {"running_mean", "running_var"}) add(x);
  return written;
}

/// Grows groups; ids of groups that were joined are never used again.
class fuser {
public:
  fuser(const graph_index& graph, const covering& cover, const fusion_options& options)
      : graph_(graph), cover_(cover), options_(options) {
    for (const auto& node : graph.graph().nodes) add_group({graph.position(node)});
    add_edges();
  }

  std::vector<node_group> run() && {
    while (join_best()) {
    }
    return in_order();
  }

private:
  struct group {
    std::set<std::size_t> nodes;  ///< positions in the graph
    const recipe* by = nullptr;
    bool has_anchor = false;
    bool only_views = true;
    std::set<group_id> before, behind;  ///< groups that must run earlier and later
  };
  struct pair {
    std::uint64_t saved = 0;
    group_id first = 0, second = 0;
  };

  const graph_node& node(std::size_t position) const { return graph_.graph().nodes[position]; }

  std::vector<std::string> names(const std::set<std::size_t>& positions) const {
    std::vector<std::string> result;
    for (auto x : positions) result.push_back(node(x).name);
    return result;
  }

  const recipe* recipe_of(const std::set<std::size_t>& positions) const { return cover_(names(positions)); }

  group_id add_group(std::set<std::size_t> nodes) {
    group x{.nodes = std::move(nodes)};
    x.by = recipe_of(x.nodes);
    for (auto position : x.nodes) {
      x.has_anchor = x.has_anchor || is_anchor(node(position));
      x.only_views = x.only_views && is_view(node(position));
      owner_[position] = next_;
    }
    groups_.emplace(next_, std::move(x));
    return next_++;
  }

  // -- edges ----------------------------------------------------------------------------------------------------------

  void order(const graph_node& first, const graph_node& second) {
    auto a = owner_[graph_.position(first)], b = owner_[graph_.position(second)];
    if (a == b) return;
    groups_[a].behind.insert(b);
    groups_[b].before.insert(a);
  }

  void add_edges() {
    for (const auto& x : graph_.graph().nodes) {
      for (const auto* user : graph_.users(x.name)) order(x, *user);
      for (auto written : written_by(x)) {
        for (const auto* user : graph_.users(written)) {
          if (graph_.position(*user) < graph_.position(x)) order(*user, x);
          if (graph_.position(*user) > graph_.position(x)) order(x, *user);
        }
      }
    }
  }

  /// Whether something else must run between them, in either direction.
  bool has_way_around(group_id from, group_id to) const {
    std::set<group_id> seen;
    std::vector<group_id> pending;
    for (auto x : groups_.at(from).behind)
      if (x != to) pending.push_back(x);
    while (!pending.empty()) {
      auto x = pending.back();
      pending.pop_back();
      if (x == to) return true;
      if (!seen.insert(x).second) continue;
      const auto& behind = groups_.at(x).behind;
      pending.insert(pending.end(), behind.begin(), behind.end());
    }
    return false;
  }

  // -- joining --------------------------------------------------------------------------------------------------------

  /// Each tensor between two groups, written and read again; where others read it too it is written all the same.
  std::map<std::pair<group_id, group_id>, std::uint64_t> savings() const {
    std::map<std::pair<group_id, group_id>, std::uint64_t> saved;
    for (const auto& x : graph_.graph().nodes) {
      auto from = owner_.at(graph_.position(x));
      auto users = groups_using(x.name);
      users.erase(from);
      auto bytes = bytes_of_tensor(x.output);
      for (auto user : users) saved[{from, user}] += users.size() == 1 && !graph_.is_output(x.name) ? 2 * bytes : bytes;
      add_siblings(users, bytes, saved);
    }
    for (const auto& x : graph_.graph().values) add_siblings(groups_using(x.name), bytes_of_tensor(x.spec), saved);
    return saved;
  }

  std::set<group_id> groups_using(std::string_view tensor) const {
    std::set<group_id> users;
    for (const auto* user : graph_.users(tensor)) users.insert(owner_.at(graph_.position(*user)));
    return users;
  }

  /// Of those that read the same tensor each with the next: the number of pairs stays small.
  static void add_siblings(const std::set<group_id>& users, std::uint64_t bytes,
                           std::map<std::pair<group_id, group_id>, std::uint64_t>& saved) {
    for (auto x = users.begin(); x != users.end() && std::next(x) != users.end(); ++x)
      saved[{*x, *std::next(x)}] += bytes;
  }

  bool is_wanted(group_id first, group_id second) const {
    const auto& a = groups_.at(first);
    const auto& b = groups_.at(second);
    if (a.only_views || b.only_views) return true;
    if (!options_.prologues && b.has_anchor) return false;
    if (!options_.epilogues && a.has_anchor) return false;
    if (options_.shared) return true;
    return std::ranges::all_of(a.nodes, [&](auto position) {
      auto users = groups_using(node(position).name);
      users.erase(first);
      return users.empty() || users == std::set{second};
    });
  }

  std::vector<pair> pairs() const {
    std::vector<pair> result;
    for (const auto& [ids, saved] : savings())
      if (!refused_.contains(ids) && is_wanted(ids.first, ids.second)) result.push_back({saved, ids.first, ids.second});
    std::ranges::stable_sort(result, std::greater{}, &pair::saved);
    return result;
  }

  bool join_best() {
    for (const auto& x : pairs()) {
      if (has_way_around(x.first, x.second) || has_way_around(x.second, x.first)) continue;
      if (join(x.first, x.second)) return true;
      refused_.insert({x.first, x.second});
    }
    return false;
  }

  bool join(group_id first, group_id second) {
    auto nodes = groups_.at(first).nodes;
    nodes.insert(groups_.at(second).nodes.begin(), groups_.at(second).nodes.end());
    bool both_views = groups_.at(first).only_views && groups_.at(second).only_views;
    bool nobody = groups_.at(first).by == nullptr && groups_.at(second).by == nullptr;
    if (!recipe_of(nodes) && !(both_views && nobody)) return false;  // views gather until somebody covers them
    auto joined = add_group(std::move(nodes));
    for (auto old : {first, second}) {
      for (auto x : groups_.at(old).before) link(x, joined);
      for (auto x : groups_.at(old).behind) link(joined, x);
    }
    for (auto old : {first, second}) forget(old);
    return true;
  }

  void link(group_id before, group_id behind) {
    if (before == behind) return;
    groups_.at(before).behind.insert(behind);
    groups_.at(behind).before.insert(before);
  }

  void forget(group_id old) {
    for (auto x : groups_.at(old).before) groups_.at(x).behind.erase(old);
    for (auto x : groups_.at(old).behind) groups_.at(x).before.erase(old);
    groups_.erase(old);
  }

  // -- the outcome ----------------------------------------------------------------------------------------------------

  std::vector<node_group> in_order() const {
    std::vector<node_group> result;
    std::set<group_id> done;
    while (done.size() < groups_.size()) {
      auto next = first_ready(done);
      if (next == groups_.end()) break;  // a group that waits for itself: no graph that was checked has one
      done.insert(next->first);
      result.push_back({next->second.by, names(next->second.nodes)});
    }
    return result;
  }

  std::map<group_id, group>::const_iterator first_ready(const std::set<group_id>& done) const {
    auto best = groups_.end();
    for (auto x = groups_.begin(); x != groups_.end(); ++x) {
      bool waits = done.contains(x->first)
                   || !std::ranges::all_of(x->second.before, [&](auto before) { return done.contains(before); });
      if (!waits && (best == groups_.end() || rank(x->second) < rank(best->second))) best = x;
    }
    return best;
  }

  static std::tuple<bool, std::size_t> rank(const group& x) { return {x.by != nullptr, *x.nodes.begin()}; }

  const graph_index& graph_;
  const covering& cover_;
  const fusion_options& options_;
  std::map<group_id, group> groups_;
  std::map<std::size_t, group_id> owner_;  ///< of a node's position
  std::set<std::pair<group_id, group_id>> refused_;
  group_id next_ = 0;
};

}  // namespace

std::vector<node_group> group_nodes(const graph_index& graph, const covering& cover, const fusion_options& options) {
  return fuser{graph, cover, options}.run();
}

}  // namespace dsl
