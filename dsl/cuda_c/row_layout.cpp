#include "dsl/cuda_c/row_layout.hpp"

#include <algorithm>

#include "dsl/cuda_c/row_places.hpp"
#include "dsl/knobs.hpp"

namespace dsl::cuda_c {

namespace {

/// A block's threads have 64 Ki registers of 4 bytes; half of them are for what is computed.
constexpr std::int64_t registers_for_rows = 32 << 10;

/// Of each thread, beside what it computes with.
constexpr std::int64_t registers_of_warp = 32;

/// Of each thread of a block of 512, two of which are on a multiprocessor then.
constexpr std::int64_t registers_of_thread = 32;

/// Elements that a thread should have at least before a row is spread further.
constexpr std::int64_t least_elements = 8;

class row_planner {
public:
  row_planner(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device)
      : knobs_(knobs), device_(device), processors_(multiprocessors(device)) {
    made_.nest = std::move(x);
  }

  row_layout plan() {
    place_tensors(made_);
    in_place_ = std::ranges::any_of(made_.operands, &row_tensor::in_place);
    choose_vector();
    kept_bytes_ =
        find_kept(made_, [](const row_tensor& x) { return x.how != access::still && x.how != access::repeated; });
    choose_team();
    choose_items();
    choose_grid();
    made_.past = streams_past_caches(made_, knobs_);
    return std::move(made_);
  }

private:
  const std::string& word(const char* knob) const { return word_knob(knobs_, knob); }
  std::int64_t whole(const char* knob) const { return integer_knob(knobs_, knob); }

  // -- tensors

  template <class Look>
  void each_moving(const Look& look) {
    for (auto* all : {&made_.operands, &made_.targets})
      for (auto& x : *all)
        if (!x.tensor.is_position() && !x.within.is_still()) look(x);
  }

  void choose_vector() {
    std::size_t largest = 1;
    each_moving([&](const row_tensor& x) { largest = std::max(largest, messages::bytes_of(x.tensor.spec.dtype)); });
    auto wish = widest_vector(whole("vector"), largest);
    auto suits = [&](std::int64_t width) {
      bool good = made_.count % width == 0;
      each_moving([&](const row_tensor& x) {
        if (x.within.is_unit()) good = good && x.within.with(width, aligned(x.rows, width)) == access::vector;
      });
      return good;
    };
    while (wish > 1 && !suits(wish)) wish /= 2;
    made_.vector = wish;
    for (auto* all : {&made_.operands, &made_.targets})
      for (auto& x : *all) x.how = x.within.with(wish, aligned(x.rows, wish));
  }

  /// way::keeps lets a unit step be; a row must begin at a multiple.
  static bool aligned(const way& rows, std::int64_t width) {
    return width == 1 || (rows.keeps(width) && !rows.is_unit());
  }

  // -- who does a row

  /// Registers of 4 bytes that all of a row takes.
  std::int64_t row_registers() const { return ceil_of(made_.count * kept_bytes_, 4); }

  team wished_team() const {
    const auto& wish = word("team");
    if (wish == "warp") return team::warp;
    if (wish == "block") return team::block;
    if (wish == "cluster") return has_clusters(device_) ? team::cluster : team::block;
    if (wish == "split") return can_split() ? team::split : team::block;
    return best_team();
  }

  bool can_split() const { return !in_place_ && made_.count > 1; }

  team best_team() const {
    if (made_.count <= 1024 && row_registers() <= 32 * registers_of_warp) return team::warp;
    bool few = made_.rows * 8 < processors_ && made_.count >= (1 << 15);
    if (few && can_split() && (kept_bytes_ == 0 || row_registers() > 8 * registers_for_rows)) return team::split;
    if (!has_clusters(device_)) return few && can_split() ? team::split : team::block;
    bool long_row = kept_bytes_ > 0 && row_registers() > registers_for_rows;
    bool idle = made_.rows < processors_ && made_.count >= (1 << 13);
    return long_row || idle ? team::cluster : team::block;
  }

  void choose_team() {
    made_.team = wished_team();
    auto wish = whole("threads");
    switch (made_.team) {
      case team::warp: made_.threads = wish > 0 ? std::min<std::int64_t>(wish, 512) : 128; break;
      case team::block: made_.threads = wish > 0 ? wish : threads_for(made_.count); break;
      case team::cluster: choose_cluster(wish); break;
      case team::split: choose_parts(wish); break;
    }
  }

  /// Enough that each has a few vectors, and that a row that is kept fits.
  std::int64_t threads_for(std::int64_t count) const {
    auto share = std::max<std::int64_t>(made_.vector * 4, least_elements);
    std::int64_t threads = 128;
    while (threads < 512 && threads * share < count) threads *= 2;
    auto registers_each = ceil_of(count * kept_bytes_, 4 * threads);
    return registers_each > registers_of_thread ? 1024 : threads;
  }

  void choose_cluster(std::int64_t wish) {
    made_.blocks = 2;
    auto too_long = [&] { return kept_bytes_ > 0 && row_registers() / made_.blocks > registers_for_rows / 2; };
    auto too_few = [&] { return made_.rows * made_.blocks < processors_ && made_.count / made_.blocks >= (1 << 13); };
    while (made_.blocks < 8 && (too_long() || too_few())) made_.blocks *= 2;
    made_.threads = wish > 0 ? wish : threads_for(ceil_of(made_.count, made_.blocks));
  }

  void choose_parts(std::int64_t wish) {
    made_.threads = wish > 0 ? wish : 512;
    auto least = made_.threads * made_.vector * 4;
    auto most = std::max<std::int64_t>(made_.count / least, 1);
    made_.parts = std::clamp<std::int64_t>(ceil_of(processors_ * 4, std::max<std::int64_t>(made_.rows, 1)), 1, most);
  }

  // -- how much at once

  void choose_items() {
    auto in_team = made_.team_threads() * made_.vector;
    auto needed = std::max<std::int64_t>(ceil_of(made_.part_count(), in_team), 1);
    made_.vectors = needed;
    auto each = ceil_of(needed * made_.vector * kept_bytes_, 4);  // registers of a thread
    auto room = made_.team == team::warp ? 64 : registers_for_rows / made_.threads;
    const auto& wish = word("keep");
    bool fits = made_.team != team::split && kept_bytes_ > 0;
    made_.hold = keeping::nothing;
    if (fits && (wish == "registers" ? each <= 2 * room : wish == "auto" && each <= room))
      made_.hold = keeping::registers;
    made_.items = needed;
    if (made_.hold == keeping::registers) return;
    std::int64_t reads = 0;
    for (const auto& x : made_.operands) reads += !x.tensor.is_position() && x.how != access::still ? 1 : 0;
    auto items = whole("items") > 0 ? whole("items") : reads <= 1 ? 4 : 2;
    made_.items = std::min(items, needed);
    auto bytes = needed * made_.vector * kept_bytes_ * made_.threads;
    bool wanted = wish == "shared" || wish == "auto";
    if (fits && wanted && made_.team != team::warp && bytes <= shared_limit()) {
      made_.hold = keeping::shared;
      made_.shared_bytes = bytes;
      return;
    }
    for (auto& x : made_.operands) x.kept = false;
  }

  /// Beside what teams meet in.
  std::int64_t shared_limit() const {
    auto found = device_.limits.find("shared_memory_bytes_a_block");
    auto limit = found == device_.limits.end() ? 48 << 10 : static_cast<std::int64_t>(found->second);
    return limit - (8 << 10);
  }

  void choose_grid() {
    constexpr std::int64_t most = INT64_C(1) << 30;
    auto teams = ceil_of(made_.rows, made_.rows_a_block());
    if (made_.nest.last) teams = std::min(teams, processors_ * 16);
    auto blocks_a_row = made_.team == team::split ? made_.parts : made_.blocks;
    made_.grid = std::min(teams, most / blocks_a_row) * blocks_a_row;
  }

  const messages::knob_values& knobs_;
  const messages::device_info& device_;
  std::int64_t processors_;
  row_layout made_;
  bool in_place_ = false;
  std::int64_t kept_bytes_ = 0;  ///< of an element, of all operands that are kept
};

}  // namespace

row_layout lay_out_rows(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device) {
  return row_planner{std::move(x), knobs, device}.plan();
}

}  // namespace dsl::cuda_c
