#include "dsl/nest_call.hpp"

#include <algorithm>
#include <numeric>

namespace dsl {

// -- scope ------------------------------------------------------------------------------------------------------------

term nest_scope::add(nest_leaf leaf) {
  leaves.push_back(std::move(leaf));
  return terms.operand(static_cast<std::uint32_t>(leaves.size() - 1));
}

term nest_scope::position(const axes& along) {
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    bool same = leaves[i].name.empty() && !leaves[i].fold && leaves[i].dims.front() == along;
    if (same) return terms.operand(i);
  }
  return add({.name = {}, .spec = {}, .dims = {along}, .fold = {}});
}

term nest_scope::fold(monoid kind, const term& body, const axes& whole, const axes& over, std::uint32_t which) {
  auto flat = space.leaves(over);
  for (const auto& known : folds) {
    bool same = known.kind == kind && known.body.node == body.node && space.leaves(known.over) == flat;
    if (same) return terms.operand(known.first_leaf + which);
  }
  nest_fold made{kind, body, whole, over, {}, 0};
  if (kind == monoid::argmax || kind == monoid::argmin) made.position = *terms.nodes()[position(over).node].operand;
  made.first_leaf = static_cast<std::uint32_t>(leaves.size());
  folds.push_back(std::move(made));
  auto index = static_cast<std::uint32_t>(folds.size() - 1);
  for (std::uint32_t i = 0; i < slots_of(kind); ++i) {
    leaves.push_back({.name = {}, .spec = {}, .dims = {}, .fold = index, .which = i});
  }
  return terms.operand(folds.back().first_leaf + which);
}

// -- arguments --------------------------------------------------------------------------------------------------------

nest_call::nest_call(const graph_index& index, const messages::graph_node& node, nest_scope& scope, value_lookup find)
    : lowering_call(index, node, scope.terms, [find](const std::string& tensor) { return find(tensor).value; }),
      scope_(&scope),
      find_value_(std::move(find)) {}

nest_value nest_call::tensor(std::string_view name) {
  const auto* argument = ask(name);
  const auto* tensor = argument ? value_name(*argument) : nullptr;
  if (tensor) return find_value_(*tensor);
  return {number(name), {}};
}

std::string nest_call::tensor_name(std::string_view name) {
  const auto* argument = ask(name);
  const auto* tensor = argument ? value_name(*argument) : nullptr;
  return tensor ? *tensor : std::string{};
}

std::int64_t nest_call::integer(std::string_view name, std::int64_t otherwise) {
  return static_cast<std::int64_t>(has(name) ? real(name, 0) : static_cast<double>(otherwise));
}

std::vector<std::int64_t> nest_call::integers(std::string_view name) {
  if (!has(name)) return {};
  const auto* list = std::get_if<messages::integers_argument>(&ask(name)->content);
  return list ? list->numbers : std::vector{integer(name, 0)};
}

bool nest_call::flag(std::string_view name, bool otherwise) { return has(name) ? real(name, 0) != 0 : otherwise; }

// -- dimensions -------------------------------------------------------------------------------------------------------

std::vector<std::size_t> nest_call::chosen(const nest_value& of, std::string_view name) {
  auto rank = static_cast<std::int64_t>(of.dims.size());
  std::vector<std::size_t> dims;
  for (auto d : integers(name)) {
    if (rank == 0) continue;  // dimension 0 of a scalar is nothing
    auto wrapped = d < 0 ? d + rank : d;
    if (wrapped < 0 || wrapped >= rank) {
      refuse("names a dimension that is not there");
      continue;
    }
    dims.push_back(static_cast<std::size_t>(wrapped));
  }
  if (!dims.empty()) return dims;
  dims.resize(of.dims.size());
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  return dims;
}

axes nest_call::axes_of(const nest_value& x, const std::vector<std::size_t>& dims) const {
  axes all;
  for (std::size_t d = 0; d < x.dims.size(); ++d) {
    if (std::ranges::find(dims, d) != dims.end()) all.insert(all.end(), x.dims[d].begin(), x.dims[d].end());
  }
  return all;
}

axes nest_call::all_axes(const nest_value& x) const {
  axes all;
  for (const auto& dim : x.dims) all.insert(all.end(), dim.begin(), dim.end());
  return all;
}

void nest_call::line_up(const axes& a, const axes& b) {
  if (!scope_->space.unify(a, b)) refuse("has dimensions that do not fit together");
}

std::vector<axes> nest_call::broadcast(const nest_value& a, const nest_value& b) {
  auto wide = a.dims.size() >= b.dims.size() ? a.dims : b.dims;
  const auto& other = a.dims.size() >= b.dims.size() ? b.dims : a.dims;
  auto offset = wide.size() - other.size();
  for (std::size_t d = 0; d < other.size(); ++d) {
    if (other[d].empty()) continue;
    if (wide[offset + d].empty()) {
      wide[offset + d] = other[d];
    } else {
      line_up(wide[offset + d], other[d]);
    }
  }
  return wide;
}

std::vector<axes> nest_call::without(const nest_value& x, const std::vector<std::size_t>& dims, bool keep) const {
  std::vector<axes> left;
  for (std::size_t d = 0; d < x.dims.size(); ++d) {
    bool gone = std::ranges::find(dims, d) != dims.end();
    if (!gone) left.push_back(x.dims[d]);
    if (gone && keep) left.emplace_back();
  }
  return left;
}

// -- results ----------------------------------------------------------------------------------------------------------

/// Of one element a fold is the element itself.
term nest_call::fold(monoid kind, const term& body, const axes& whole, const axes& over, std::uint32_t which) {
  auto number = as_number(body);
  if (!over.empty()) return scope_->fold(kind, number, whole, over, which);
  if (which == 0) return number;
  if (kind != monoid::moments) return literal(0);
  auto difference = number - number;  // NaN of an infinity
  return difference * difference;
}

void nest_call::write(const std::string& value, const term& written, std::vector<axes> dims) {
  auto same = [&](const nest_effect& x) { return x.value == value; };
  if (std::ranges::any_of(scope_->effects, same)) return;  // another result of the same operator
  if (!index().value(value)) {
    refuse("writes " + value + " in place, which is no input or buffer");
    return;
  }
  scope_->effects.push_back({value, as_number(written), std::move(dims)});
}

}  // namespace dsl
