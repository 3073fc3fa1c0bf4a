#pragma once
// Which dimensions of different tensors are one loop. A dimension is a list of axes, outermost first; reshaping cuts
// and regroups them, broadcasting makes axes of two tensors the same one.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dsl {

/// Names an axis of one axis_space; what it is made of may be found out later.
using axis = std::uint32_t;

/// One dimension: the axes whose product it is, outermost first. Empty for size 1.
using axes = std::vector<axis>;

class axis_space {
public:
  axis make(std::int64_t size);

  /// A dimension of that size: one new axis, none for size 1.
  axes dimension(std::int64_t size);

  std::int64_t size(axis x) const { return all_[x].size; }
  std::int64_t size(const axes& x) const;

  /// The same dimension in axes that are not cut and stand for themselves.
  axes leaves(const axes& x) const;

  /// Makes both the same loop, cutting where one has coarser axes; false where their sizes do not fit together.
  bool unify(const axes& a, const axes& b);

  /// The outer part and the inner part, which has the given size; nothing where that does not come out even.
  std::optional<std::pair<axes, axes>> cut(const axes& x, std::int64_t inner);

private:
  struct entry {
    std::int64_t size = 1;
    axis same = 0;                               ///< itself, or what it was found to be
    std::optional<std::pair<axis, axis>> parts;  ///< outer, inner
  };
  axis root(axis x) const;
  void expand(axis x, axes& into) const;
  std::pair<axis, axis> split(axis leaf, std::int64_t inner);

  std::vector<entry> all_;
};

}  // namespace dsl
