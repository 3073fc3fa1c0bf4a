#include "dsl/cuda_c/row_layout.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "dsl/knobs.hpp"

namespace dsl::cuda_c {

namespace {

using numbers = std::vector<std::int64_t>;

constexpr std::int64_t streamed_from_bytes = 32 << 20;

/// A block's threads have 64 Ki registers of 4 bytes; half of them are for what is computed.
constexpr std::int64_t registers_for_rows = 32 << 10;

/// Of each thread, beside what it computes with.
constexpr std::int64_t registers_of_warp = 32;

/// Elements that a thread should have at least before a row is spread further.
constexpr std::int64_t least_elements = 8;

std::int64_t bytes_of(const nest_tensor& x) { return static_cast<std::int64_t>(messages::bytes_of(x.spec.dtype)); }

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The operands that each pass over a row reads.
std::vector<std::set<std::uint32_t>> passes_of(const reduction_nest& x) {
  std::vector<std::set<std::uint32_t>> passes;
  auto add = [&](const messages::expression& e) {
    auto& pass = passes.emplace_back();
    for (const auto& node : e.nodes)
      if (node.operand && *node.operand < x.operands.size()) pass.insert(*node.operand);
  };
  for (const auto& stage : x.stages) add(stage.bodies);
  if (!x.each_element.targets.empty()) add(x.each_element.values);
  return passes;
}

class planner {
public:
  planner(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device)
      : knobs_(knobs), device_(device), processors_(multiprocessors(device)) {
    made_.nest = std::move(x);
    made_.rows = made_.nest.kept_count();
    made_.count = made_.nest.reduced_count();
  }

  row_layout plan() {
    place_all();
    choose_vector();
    find_kept();
    choose_team();
    choose_items();
    choose_grid();
    made_.past = streams();
    return std::move(made_);
  }

private:
  const std::string& word(const char* knob) const { return word_knob(knobs_, knob); }
  std::int64_t whole(const char* knob) const { return integer_knob(knobs_, knob); }

  // -- tensors

  void place_all() {
    const auto& nest = made_.nest;
    std::set<std::string> written;
    for (const auto* results : {&nest.each_kept, &nest.each_element, &nest.once})
      for (const auto& target : results->targets) {
        made_.targets.push_back(place(target));
        written.insert(target.name);
      }
    for (const auto& operand : nest.operands) {
      made_.operands.push_back(place(operand));
      made_.operands.back().in_place = !operand.is_position() && written.contains(operand.name);
      in_place_ = in_place_ || made_.operands.back().in_place;
    }
    std::vector<messages::tensor_spec> specs;
    for (const auto* all : {&made_.operands, &made_.targets})
      for (const auto& x : *all)
        if (!x.tensor.is_position()) specs.push_back(x.tensor.spec);
    made_.small = is_small(made_.rows, specs) && is_small(made_.count, specs);
  }

  row_tensor place(const nest_tensor& x) const {
    std::span sizes{made_.nest.sizes};
    std::span steps{x.steps};
    auto kept = made_.nest.kept;
    return {x, way{sizes.first(kept), steps.first(kept)}, way{sizes.subspan(kept), steps.subspan(kept)}};
  }

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

  /// What several passes read is worth keeping.
  void find_kept() {
    auto passes = passes_of(made_.nest);
    for (std::uint32_t i = 0; i < made_.operands.size(); ++i) {
      auto& x = made_.operands[i];
      if (x.tensor.is_position() || x.how == access::still || x.how == access::repeated) continue;
      auto times = std::ranges::count_if(passes, [&](const auto& pass) { return pass.contains(i); });
      x.kept = times > 1;
      if (x.kept) kept_bytes_ += bytes_of(x.tensor);
    }
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
    while (threads < 1024 && threads * share < count) threads *= 2;
    if (kept_bytes_ == 0 && threads > 512) threads = 512;
    return threads;
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

  bool streams() const {
    if (made_.nest.each_element.targets.empty() || !knobs_.contains("streaming_stores")) return false;
    const auto& wish = word("streaming_stores");
    if (wish != "auto") return wish == "on";
    std::int64_t bytes = 0;
    for (const auto& x : made_.nest.each_element.targets) bytes += made_.rows * made_.count * bytes_of(x);
    return bytes >= streamed_from_bytes;
  }

  const messages::knob_values& knobs_;
  const messages::device_info& device_;
  std::int64_t processors_;
  row_layout made_;
  bool in_place_ = false;
  std::int64_t kept_bytes_ = 0;  ///< of an element, of all operands that are kept
};

}  // namespace

row_layout lay_out(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device) {
  return planner{std::move(x), knobs, device}.plan();
}

}  // namespace dsl::cuda_c
