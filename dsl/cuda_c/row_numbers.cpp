#include "dsl/cuda_c/row_numbers.hpp"

namespace dsl::cuda_c {

namespace {

void add_column_numbers(template_data& data, const row_layout& layout) {
  auto parts = text_of(layout.parts);
  for (auto [key, value] : {std::pair{"threads", layout.threads},
                            {"parts", layout.parts},
                            {"across", layout.across},
                            {"deep", layout.deep},
                            {"part_count", layout.part_count()},
                            {"vector_width", layout.vector},
                            {"items", layout.items},
                            {"vectors", layout.vectors},
                            {"chunks", (layout.vectors + layout.items - 1) / layout.items},
                            {"block_warps", layout.threads / 32},
                            {"warps", layout.threads / 32}})
    data.set(key, text_of(value));
  data.set("tile_columns", text_of(layout.across * layout.vector));
  data.set("leads", "deep == 0 && row < rows && part == 0");
  data.set("wait", "__syncthreads");
  data.set("split", layout.team == team::split);
}

}  // namespace

void add_numbers(template_data& data, const row_layout& layout) {
  if (layout.column) return add_column_numbers(data, layout);
  auto threads = text_of(layout.threads), blocks = text_of(layout.blocks), parts = text_of(layout.parts);
  std::string lane = "threadIdx.x", first = "blockIdx.x", step = "gridDim.x", leads = "lane == 0",
              wait = "__syncthreads";
  switch (layout.team) {
    case team::warp: {
      auto teams = text_of(layout.rows_a_block());
      lane = "threadIdx.x % 32";
      first = "blockIdx.x * " + teams + " + threadIdx.x / 32";
      step = "gridDim.x * " + teams;
      wait = "__syncwarp";
      break;
    }
    case team::block: break;
    case team::cluster:
      lane = "cluster_rank() * " + threads + " + threadIdx.x";
      first += " / " + blocks;
      step += " / " + blocks;
      wait = "cluster_wait";
      break;
    case team::split:
      first += " / " + parts;
      step += " / " + parts;
      leads = "part == 0 && threadIdx.x == 0";
      break;
  }
  for (const auto& [key, value] : {std::pair{"lane", lane},
                                   {"first_row", first},
                                   {"row_step", step},
                                   {"leads", leads},
                                   {"wait", wait},
                                   {"threads", threads},
                                   {"blocks", blocks},
                                   {"parts", parts}})
    data.set(key, value);
  data.set("team", text_of(layout.team_threads()));
  data.set("warps", text_of(layout.warps()));
  data.set("block_warps", text_of(layout.threads / 32));
  data.set("part_count", text_of(layout.part_count()));
  data.set("vector_width", text_of(layout.vector));
  data.set("vectors", text_of(layout.vectors));
  data.set("items", text_of(layout.items));
  data.set("chunks", text_of((layout.vectors + layout.items - 1) / layout.items));
  data.set("split", layout.team == team::split);
  data.set("cluster", layout.team == team::cluster);
}

}  // namespace dsl::cuda_c
