#include <algorithm>

#include "dsl/cuda_c/row_places.hpp"
#include "dsl/knobs.hpp"

namespace dsl::cuda_c {

namespace {

/// Of 4 bytes, for the elements of a thread's columns that it keeps.
constexpr std::int64_t registers_of_columns = 64;

constexpr std::int64_t deepest = 16;

/// Threads of all multiprocessors that keep memory busy.
constexpr std::int64_t busy_threads = 1024;

class column_planner {
public:
  column_planner(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device)
      : knobs_(knobs), processors_(multiprocessors(device)) {
    made_.nest = std::move(x);
    made_.column = true;
  }

  row_layout plan() {
    place_tensors(made_);
    choose_vector();
    kept_bytes_ = find_kept(made_, [](const row_tensor& x) { return !x.within.is_still(); });
    made_.threads = whole("threads");
    choose_depth();
    choose_parts();
    choose_items();
    made_.past = streams_past_caches(made_, knobs_);
    return std::move(made_);
  }

private:
  std::int64_t whole(const char* knob) const { return integer_knob(knobs_, knob); }

  template <class Look>
  void each_tensor(const Look& look) {
    for (auto* all : {&made_.operands, &made_.targets})
      for (auto& x : *all)
        if (!x.tensor.is_position()) look(x);
  }

  static access reach(const row_tensor& x, std::int64_t width) {
    bool aligned = width == 1 || (x.within.keeps(width) && !x.within.is_unit());
    auto how = x.rows.with(width, aligned);
    return how == access::still ? access::repeated : how;
  }

  /// The widest at which whatever lies side by side along the kept dimensions moves in one piece.
  void choose_vector() {
    std::size_t largest = 1;
    each_tensor([&](const row_tensor& x) {
      if (!x.within.is_still()) largest = std::max(largest, messages::bytes_of(x.tensor.spec.dtype));
    });
    auto width = widest_vector(whole("vector"), largest);
    auto suits = [&] {
      bool good = made_.rows % width == 0;
      each_tensor([&](const row_tensor& x) {
        if (x.rows.is_unit()) good = good && reach(x, width) == access::vector;
      });
      return good;
    };
    while (width > 1 && !suits()) width /= 2;
    made_.vector = width;
    for (auto* all : {&made_.operands, &made_.targets})
      for (auto& x : *all) x.how = reach(x, width);
  }

  std::int64_t groups() const { return ceil_of(made_.rows, made_.vector); }

  /// Registers of a thread that keeps its part of its columns.
  std::int64_t registers_at(std::int64_t deep) const {
    return ceil_of(ceil_of(made_.count, deep) * made_.vector * kept_bytes_, 4);
  }

  void choose_depth() {
    auto wish = whole("deep");
    made_.deep = std::max<std::int64_t>(wish, 1);
    auto idle = [&] { return groups() * made_.deep < processors_ * busy_threads && made_.count >= made_.deep * 16; };
    auto too_long = [&] {
      return kept_bytes_ > 0 && registers_at(made_.deep) > registers_of_columns / 2
             && registers_at(deepest) <= registers_of_columns;
    };
    while (wish == 0 && made_.deep < deepest && (idle() || too_long())) made_.deep *= 2;
    made_.across = made_.threads / made_.deep;
  }

  bool can_split() const {
    return !made_.nest.stages.empty() && made_.count > 1 && std::ranges::none_of(made_.operands, &row_tensor::in_place);
  }

  void choose_parts() {
    auto tiles = std::max<std::int64_t>(ceil_of(groups(), made_.across), 1);
    const auto& wish = word_knob(knobs_, "split");
    auto most = made_.count / (made_.deep * 16);
    auto parts = std::min(ceil_of(processors_ * 4, tiles), most);
    bool few = tiles < processors_ && parts > 1;
    made_.team = team::block;
    if (can_split() && parts > 1 && (wish == "on" || (wish == "auto" && few))) {
      made_.team = team::split;
      made_.parts = parts;
    }
    auto many = made_.nest.last ? std::min(tiles, processors_ * 16) : tiles;
    made_.grid = made_.rows == 0 ? 0 : std::min<std::int64_t>(many, INT64_C(1) << 20) * made_.parts;
  }

  void choose_items() {
    made_.vectors = std::max<std::int64_t>(ceil_of(made_.part_count(), made_.deep), 1);
    bool fits = made_.team != team::split && kept_bytes_ > 0 && registers_at(made_.deep) <= registers_of_columns;
    auto wish = whole("items");
    made_.items = std::min(made_.vectors, wish > 0 ? wish : std::max<std::int64_t>(16 / made_.vector, 4));
    if (fits && word_knob(knobs_, "keep") != "off") {
      made_.hold = keeping::registers;
      made_.items = made_.vectors;
      return;
    }
    for (auto& x : made_.operands) x.kept = false;
  }

  const messages::knob_values& knobs_;
  std::int64_t processors_;
  row_layout made_;
  std::int64_t kept_bytes_ = 0;
};

}  // namespace

row_layout lay_out_columns(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device) {
  return column_planner{std::move(x), knobs, device}.plan();
}

}  // namespace dsl::cuda_c
