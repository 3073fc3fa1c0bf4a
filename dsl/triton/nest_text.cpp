#include "dsl/triton/nest_text.hpp"

#include <algorithm>

#include "dsl/triton/expression_text.hpp"
#include "dsl/triton/index_text.hpp"
#include "dsl/triton/nest_kernel.hpp"

namespace dsl::triton {

namespace {

/// Joining kernels and the last one hold that many numbers in a tile.
constexpr std::int64_t joined_at_once = 4096;
constexpr std::int64_t finals_at_once = 1024;
constexpr std::int64_t most_joining_warps = 8;

class nest_writer {
public:
  nest_writer(const nest_tiles& tiles, const nest_interface& interface, const std::string& name,
              const std::string& summary)
      : tiles_(tiles),
        interface_(interface),
        name_("group_" + name),
        summary_(summary),
        pieces_(power_of_two(tiles.parts)),
        join_rows_(std::clamp<std::int64_t>(joined_at_once / pieces_, 1, tiles.rows)),
        final_units_(divided() ? units_of(join_rows_) : tiles.units()),
        fields_(tiles, final_units_) {}

  nest_kernels write() {
    if (divided()) {
      for (std::size_t i = 0; i < tiles_.nest.stages.size(); ++i) write_part(i), write_join(i);
      if (!tiles_.nest.each_element.targets.empty()) write_apply();
    } else {
      write_rows();
    }
    if (tiles_.nest.last) write_last();
    template_data data;
    data.set("kernels", texts_);
    return {data, kernels_, fields_.bytes()};
  }

private:
  bool divided() const { return tiles_.parts > 1; }
  std::int64_t units_of(std::int64_t rows) const { return std::max<std::int64_t>((tiles_.kept + rows - 1) / rows, 1); }

  nest_kernel text(const std::string& ending) { return {tiles_, interface_, fields_, name_ + ending}; }

  void add(nest_kernel& text, template_data data, const nest_kernel::shape& of, const std::string& what) {
    texts_ << text.finish(std::move(data), of, summary_ + what);
    kernels_.push_back(text.made());
  }

  void write_rows() {
    auto kernel = text("");
    auto count = std::to_string(tiles_.reduced);
    auto stages = template_list();
    for (std::size_t i = 0; i < tiles_.nest.stages.size(); ++i) {
      auto stage = kernel.stage(i, "0", count, count + ".0");
      kernel.add_derived(stage, i);
      stages << stage;
    }
    template_data data;
    data.set("row_header", true);
    data.set("stages", stages);
    kernel.add_apply(data, !tiles_.whole);
    kernel.add_keep(data);
    kernel.add_finals(data);
    add(kernel, std::move(data), {tiles_.rows, tiles_.block, tiles_.units(), tiles_.warps, 1, tiles_.whole}, "");
  }

  void write_part(std::size_t index) {
    auto kernel = text("_part" + std::to_string(index));
    auto stages = template_list();
    auto type = compute_type(tiles_.nest.compute);
    stages << kernel.stage(index, "begin", "end", "(end - begin).to(" + type + ')');
    template_data data;
    data.set("row_header", true);
    data.set("part_header", true);
    data.set("stages", stages);
    std::vector<std::uint32_t> slots;
    for (const auto& x : tiles_.nest.stages[index].reductions)
      for (std::uint32_t i = 0; i < slots_of(x.kind); ++i) slots.push_back(x.slot + i);
    kernel.store(data, "parts", "part * " + std::to_string(tiles_.kept) + " + row", slots);
    add(kernel, std::move(data), {tiles_.rows, tiles_.block, tiles_.units() * tiles_.parts, tiles_.warps, tiles_.parts},
        ": parts of stage " + std::to_string(index));
  }

  void write_join(std::size_t index) {
    auto kernel = text("_join" + std::to_string(index));
    auto stages = template_list();
    auto stage = kernel.join(index, pieces_);
    kernel.add_derived(stage, index);
    stages << stage;
    template_data data;
    data.set("row_header", true);
    data.set("stages", stages);
    bool ends = index + 1 == tiles_.nest.stages.size();
    if (!ends || !tiles_.nest.each_element.targets.empty())
      kernel.store(data, "slots", "row", kernel.slots_filled(index));
    if (ends) {
      kernel.add_keep(data);
      kernel.add_finals(data);
    }
    auto warps = std::clamp<std::int64_t>(join_rows_ * pieces_ / 512, 1, most_joining_warps);
    add(kernel, std::move(data), {join_rows_, pieces_, units_of(join_rows_), warps},
        ": all parts of stage " + std::to_string(index));
  }

  void write_apply() {
    auto kernel = text("_apply");
    template_data data;
    data.set("row_header", true);
    data.set("block_header", true);
    kernel.add_apply(data, false);
    add(kernel, std::move(data),
        {tiles_.rows, tiles_.block, tiles_.units() * tiles_.blocks(), tiles_.warps, tiles_.blocks()},
        ": results of the whole size");
  }

  void write_last() {
    auto kernel = text("_last");
    template_data data;
    kernel.add_last(data, final_units_);
    auto block = std::min(power_of_two(final_units_), finals_at_once);
    add(kernel, std::move(data), {0, block, 1, 4}, ": over all rows");
  }

  const nest_tiles& tiles_;
  const nest_interface& interface_;
  std::string name_;
  const std::string& summary_;
  std::int64_t pieces_, join_rows_, final_units_;
  nest_fields fields_;
  template_data texts_ = template_list();
  std::vector<kernel> kernels_;
};

}  // namespace

nest_kernels write_kernels(const nest_tiles& tiles, const nest_interface& interface, const std::string& name,
                           const std::string& summary) {
  return nest_writer{tiles, interface, name, summary}.write();
}

}  // namespace dsl::triton
