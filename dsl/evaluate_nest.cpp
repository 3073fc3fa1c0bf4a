// The meaning of a nest, in double.

#include <cmath>
#include <limits>

#include "dsl/reduction_nest.hpp"

namespace dsl {

namespace {

using numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

bool replaces(monoid kind, double x, double best) {
  if (std::isnan(best)) return false;
  if (std::isnan(x)) return true;
  return kind == monoid::max || kind == monoid::argmax ? x > best : x < best;
}

/// What a reduction has seen so far.
class running {
public:
  explicit running(monoid kind) : kind_(kind) {
    bool low = kind == monoid::max || kind == monoid::argmax;
    bool high = kind == monoid::min || kind == monoid::argmin;
    value_ = kind == monoid::prod ? 1 : low ? -infinity : high ? infinity : 0;
  }

  void add(double x, double position) {
    bool first = seen_ == 0;
    ++seen_;
    switch (kind_) {
      case monoid::sum: value_ += x; break;
      case monoid::prod: value_ *= x; break;
      case monoid::moments: all_.push_back(x); break;
      default:
        bool equal = x == value_ || (std::isnan(x) && std::isnan(value_));
        if (first || replaces(kind_, x, value_) || (equal && position < position_)) value_ = x, position_ = position;
    }
  }

  /// Its slots.
  numbers results() const {
    if (kind_ == monoid::argmax || kind_ == monoid::argmin) return {value_, position_};
    if (kind_ != monoid::moments) return {value_};
    double mean = 0;
    for (auto x : all_) mean += x / static_cast<double>(all_.size());
    double squares = 0;
    for (auto x : all_) squares += (x - mean) * (x - mean);
    return {all_.empty() ? std::nan("") : mean, squares};
  }

private:
  monoid kind_;
  double value_ = 0;
  double position_ = 0;
  std::size_t seen_ = 0;
  numbers all_;
};

class evaluator {
public:
  evaluator(const reduction_nest& x, std::span<const numbers> memory)
      : x_(x), memory_(memory), inputs_(x.operands.size() + x.slots), index_(x.sizes.size(), 0) {}

  std::vector<numbers> run() {
    for (const auto* results : {&x_.each_kept, &x_.each_element, &x_.once}) {
      for (const auto& target : results->targets) written_.emplace_back(extent(target.spec), 0.0);
    }
    std::vector<running> last;
    if (x_.last) last = start(*x_.last);
    walk(0, x_.kept, [&] {
      for (const auto& stage : x_.stages) run_stage(stage);
      walk(x_.kept, x_.sizes.size(), [&] { write(x_.each_element, x_.each_kept.targets.size()); });
      if (x_.last) add(*x_.last, last);
      write(x_.each_kept, 0);
    });
    if (x_.last) finish(*x_.last, last);
    if (!x_.once.targets.empty()) write(x_.once, x_.each_kept.targets.size() + x_.each_element.targets.size());
    return std::move(written_);
  }

private:
  static std::size_t extent(const messages::tensor_spec& x) {
    std::int64_t last = 1;
    for (std::size_t d = 0; d < x.shape.size(); ++d) last += std::max<std::int64_t>(x.shape[d] - 1, 0) * x.strides[d];
    return static_cast<std::size_t>(last);
  }

  /// All points of the dimensions [first, end), the last one fastest; the index is 0 there afterwards.
  template <class Visit>
  void walk(std::size_t first, std::size_t end, const Visit& visit) {
    if (first == end) {
      visit();
      return;
    }
    for (index_[first] = 0; index_[first] < x_.sizes[first]; ++index_[first]) walk(first + 1, end, visit);
    index_[first] = 0;
  }

  std::size_t offset(const nest_tensor& x) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < index_.size(); ++d) at += index_[d] * x.steps[d];
    return static_cast<std::size_t>(at);
  }

  /// Of a tensor without elements nothing is read: what lies on the kept space is needed even so.
  void read() {
    for (std::size_t i = 0; i < x_.operands.size(); ++i) {
      auto at = offset(x_.operands[i]);
      if (x_.operands[i].is_position()) {
        inputs_[i] = static_cast<double>(at);
      } else if (at < memory_[i].size()) {
        inputs_[i] = memory_[i][at];
      }
    }
  }

  static std::vector<running> start(const nest_stage& stage) {
    std::vector<running> all;
    for (const auto& reduction : stage.reductions) all.emplace_back(reduction.kind);
    return all;
  }

  void add(const nest_stage& stage, std::vector<running>& to) {
    read();
    auto values = evaluate(stage.bodies, inputs_);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto& reduction = stage.reductions[i];
      to[i].add(values[reduction.body], reduction.position ? inputs_[*reduction.position] : 0);
    }
  }

  void finish(const nest_stage& stage, const std::vector<running>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      auto slot = x_.operands.size() + stage.reductions[i].slot;
      for (auto value : from[i].results()) inputs_[slot++] = value;
    }
    read();
    auto slot = x_.operands.size() + stage.first_derived;
    for (auto value : evaluate(stage.derived, inputs_)) inputs_[slot++] = value;
  }

  void run_stage(const nest_stage& stage) {
    auto all = start(stage);
    walk(x_.kept, x_.sizes.size(), [&] { add(stage, all); });
    finish(stage, all);
  }

  void write(const nest_results& results, std::size_t first) {
    read();
    auto values = evaluate(results.values, inputs_);
    for (std::size_t i = 0; i < values.size(); ++i) written_[first + i][offset(results.targets[i])] = values[i];
  }

  const reduction_nest& x_;
  std::span<const numbers> memory_;
  numbers inputs_;
  shape index_;
  std::vector<numbers> written_;
};

}  // namespace

std::vector<std::vector<double>> evaluate(const reduction_nest& x, std::span<const std::vector<double>> memory) {
  return evaluator{x, memory}.run();
}

}  // namespace dsl
