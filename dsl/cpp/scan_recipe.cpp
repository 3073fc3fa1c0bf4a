#include "dsl/cpp/scan_recipe.hpp"

#include "dsl/cpp/anchored_text.hpp"
#include "dsl/cpp/knob_values.hpp"
#include "dsl/cpp/scan_layout.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/scan.hpp"

namespace dsl::cpp {

namespace {

using messages::dtype;
using messages::expected;
using messages::fail;
using messages::failure_code;

std::string monoid_text(scan_monoid x) {
  switch (x) {
    case scan_monoid::sum: return "km::scanning::sum";
    case scan_monoid::product: return "km::scanning::product";
    case scan_monoid::max: return "km::scanning::greatest";
    case scan_monoid::min: return "km::scanning::least";
    default: return "km::scanning::log_sum_exp";
  }
}

struct analysed {
  dsl::scan scan;
  anchored around;
};

/// Floating point adds up in double, as torch does; integers in int64.
expected<void> check_types(const graph_index& graph, const analysed& x) {
  auto result = graph.node(x.scan.core.result)->output.dtype;
  auto input = graph.spec(x.scan.core.inputs[0])->dtype;
  if (result == dtype::boolean) return fail(failure_code::bad_input, "a scan of truths is not covered");
  if (!is_floating(result)) {
    if (x.scan.monoid == scan_monoid::log_sum_exp) return fail(failure_code::bad_input, "a logarithm is no integer");
    if (input == dtype::boolean || hands_on(x.around.inputs[0].expression)) return {};
    return fail(failure_code::bad_input, "arithmetic in integers before a scan is not covered");
  }
  bool narrows = is_floating(input) && messages::bytes_of(result) < messages::bytes_of(input);
  if (narrows) return fail(failure_code::bad_input, "a scan that rounds its input first is not covered");
  return {};
}

expected<analysed> analyse(const graph_index& graph, std::span<const std::string> nodes) {
  auto scan = find_scan(graph, nodes);
  if (!scan) return tl::unexpected{scan.error()};
  auto around = surround(graph, nodes, scan->core);
  if (!around) return tl::unexpected{around.error()};
  if (around->output.shape.empty()) return fail(failure_code::bad_input, "a scan of rank 0 is not covered");
  analysed x{*std::move(scan), *std::move(around)};
  if (auto ok = check_types(graph, x); !ok) return tl::unexpected{ok.error()};
  return x;
}

class scan_recipe : public recipe {
public:
  explicit scan_recipe(const recipe_files& files) : files_(files) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    auto x = analyse(graph, nodes);
    if (!x) return tl::unexpected{x.error()};
    return {};
  }

  expected<group_text> render(const group_order& order) const override {
    auto x = analyse(order.graph, order.group.nodes);
    if (!x) return tl::unexpected{x.error()};
    auto layout = lay_out(x->scan, x->around);
    bool floating = is_floating(order.graph.node(x->scan.core.result)->output.dtype);
    anchored_order all{order,         x->around,       floating ? "double" : "int64_t", {layout.input},
                       layout.output, "scan_loop.hpp", whole_knob(order.knobs, "tile"), functions(order.knobs)};
    auto data = anchored_data(all, files_);
    if (!data) return tl::unexpected{data.error()};
    auto outer = layout.outer;
    if (outer.empty()) outer.push_back(1);
    data->set("monoid", monoid_text(x->scan.monoid));
    data->set("outer_rank", std::to_string(layout.outer.size()));
    data->set("outer", list_of(outer));
    data->set("length", std::to_string(layout.length));
    data->set("width", std::to_string(layout.width));
    data->set("exclusive", x->scan.exclusive ? "1" : "0");
    data->set("walk", layout.columns ? "km::scan_columns" : "km::scan_rows");
    data->set("tile", std::to_string(whole_knob(order.knobs, "tile")));
    data->set("parallel_threshold", std::to_string(whole_knob(order.knobs, "parallel_threshold")));
    return anchored_text(all, files_, *data);
  }

private:
  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_scan(const recipe_files& files) { return std::make_unique<scan_recipe>(files); }

}  // namespace dsl::cpp
