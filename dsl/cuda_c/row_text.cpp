#include "dsl/cuda_c/row_text.hpp"

#include <algorithm>

#include "dsl/cuda_c/row_code.hpp"
#include "dsl/cuda_c/row_launches.hpp"
#include "dsl/cuda_c/row_numbers.hpp"
#include "dsl/expression_builder.hpp"

namespace dsl::cuda_c {

namespace {

class row_writer {
public:
  row_writer(const row_layout& layout, std::string name)
      : layout_(layout), nest_(layout.nest), code_(layout), name_(std::move(name)) {}

  template_data write() const {
    template_data data;
    data.set("name", name_);
    data.set("index", layout_.small ? "uint32_t" : "int64_t");
    data.set("rows", text_of(layout_.rows));
    data.set("count", text_of(layout_.count));
    data.set("tensors", tensors());
    data.set("totals", totals());
    auto all = template_list();
    for (const auto& x : kernels_of(layout_, name_)) all << kernel(x);
    data.set("kernels", all);
    if (nest_.last) data.set("last", last());
    return data;
  }

private:
  static std::int64_t i64(std::size_t x) { return static_cast<std::int64_t>(x); }

  // -- what stands before the kernels

  template_data tensors() const {
    auto all = template_list();
    for (std::uint32_t i = 0; i < layout_.operands.size(); ++i)
      if (!layout_.operands[i].tensor.is_position()) all << code_.operand(i).comment();
    for (std::size_t i = 0; i < layout_.targets.size(); ++i) all << code_.target(i).comment();
    return all;
  }

  template_data totals_of(const nest_stage& stage, const std::string& name, const std::string& what) const {
    template_data data;
    auto reductions = template_list();
    for (const auto& x : stage.reductions) {
      template_data one;
      one.set("monoid", code_.monoid_of(x));
      one.set("slot", std::to_string(x.slot));
      reductions << one;
    }
    data.set("struct", name);
    data.set("what", what);
    data.set("reductions", reductions);
    return data;
  }

  template_data totals() const {
    auto all = template_list();
    for (std::size_t i = 0; i < nest_.stages.size(); ++i)
      all << totals_of(nest_.stages[i], struct_of(i), "Of a row, stage " + text_of(i64(i)) + '.');
    if (nest_.last) all << totals_of(*nest_.last, "finals", "Of all rows.");
    return all;
  }

  static std::string struct_of(std::size_t stage) { return "totals_" + std::to_string(stage); }

  // -- parameters

  std::string parameters() const {
    std::string text;
    for (std::uint32_t i = 0; i < layout_.operands.size(); ++i)
      if (!layout_.operands[i].tensor.is_position())
        text += code_.operand(i).parameter(true, !layout_.operands[i].in_place);
    for (std::size_t i = 0; i < layout_.targets.size(); ++i) text += code_.target(i).parameter(false, !is_in_place(i));
    if (layout_.team == team::split)
      for (std::size_t i = 0; i < nest_.stages.size(); ++i)
        text += ", " + struct_of(i) + "* parts_" + std::to_string(i);
    if (nest_.last) text += ", finals* parts_of_all";
    return text.substr(2);
  }

  bool is_in_place(std::size_t target) const {
    return std::ranges::any_of(layout_.operands, [&](const row_tensor& x) {
      return x.in_place && x.tensor.name == layout_.targets[target].tensor.name;
    });
  }

  // -- tensors in a kernel

  /// Keys of access_data and row, for rows and for columns.
  template_data reached(const tensor_text& text, const row_tensor& x, access how) const {
    auto one = access_data(text, x.within, how, layout_.vector, layout_.column ? "e" : "n");
    one.set("row", x.rows.offset("row"));
    if (layout_.column) {
      one.set("element", x.rows.offset("(row + j)") + " + " + x.within.offset("e"));
      one.set("row_element", x.rows.offset("(row + j)"));
    }
    return one;
  }

  void add_tensors(template_data& data, const std::set<std::uint32_t>& used, bool ends) const {
    auto stills = template_list(), moving = template_list(), holds = template_list();
    std::int64_t place = 0;
    bool any = false;
    for (auto i : used) {
      const auto& x = layout_.operands[i];
      auto one = reached(code_.operand(i), x, x.how);
      one.set("constant", "const ");
      (x.within.is_still() ? stills : moving) << one;
      if (!x.kept) continue;
      any = true;
      one.set("place", text_of(place / 16));
      one.set("held", layout_.hold == keeping::registers ? std::string{"k"} : "k * " + text_of(layout_.threads));
      one.set("in_registers", layout_.hold == keeping::registers);
      one.set("in_shared", layout_.hold == keeping::shared);
      holds << one;
      place += layout_.vectors * layout_.threads * layout_.vector
               * static_cast<std::int64_t>(messages::bytes_of(x.tensor.spec.dtype));
    }
    if (ends) add_written(moving);
    data.set("stills", stills);
    data.set("moving", moving);
    data.set("holds", holds);
    data.set("any_holds", any);
    data.set("hold_unroll", layout_.hold == keeping::registers ? "" : "4");
    data.set("shared", any && layout_.hold == keeping::shared);
  }

  void add_written(template_data& moving) const {
    for (std::size_t i = 0; i < nest_.each_element.targets.size(); ++i) {
      auto at = nest_.each_kept.targets.size() + i;
      auto one = reached(code_.target(at), layout_.targets[at], access::each);
      one.set("constant", "");
      moving << one;
    }
  }

  void add_loads(template_data& data, const std::set<std::uint32_t>& used) const {
    auto loads = template_list();
    bool any = false;
    for (auto i : used) {
      const auto& x = layout_.operands[i];
      if (x.kept || x.within.is_still()) continue;
      loads << reached(code_.operand(i), x, x.how);
      any = true;
    }
    data.set("loads", loads);
    data.set("any_loads", any);
  }

  // -- a kernel

  template_data kernel(const row_kernel& x) const {
    template_data data;
    data.set("kernel", x.name);
    data.set("parameters", parameters());
    add_numbers(data, layout_);
    std::set<std::uint32_t> used;
    auto meetings = template_list(), steps = template_list();
    for (std::size_t i = 0; i < x.merged + x.run; ++i) {
      meetings << template_data{"struct", struct_of(i)};
      steps << step(x, i, used);
    }
    if (x.ends && nest_.last && !layout_.column) {
      template_data finals{"struct", "finals"};
      finals.set("warps", text_of(layout_.threads / 32));
      meetings << finals;
    }
    data.set(layout_.column ? "column_meetings" : "meetings", meetings);
    data.set("steps", steps);
    if (x.ends) add_results(data, used);
    add_tensors(data, used, x.ends);
    return data;
  }

  template_data step(const row_kernel& x, std::size_t i, std::set<std::uint32_t>& used) const {
    const auto& stage = nest_.stages[i];
    template_data data;
    data.set("stage", std::to_string(i));
    data.set("struct", struct_of(i));
    if (i < x.merged) {
      data.set("merge", true);
    } else {
      data.set("run", run(stage, i, x.tells, used));
    }
    if (!x.tells || i < x.merged) add_slots(data, stage, i, used);
    return data;
  }

  template_data run(const nest_stage& stage, std::size_t i, bool tells, std::set<std::uint32_t>& used) const {
    template_data data;
    data.set("stage", std::to_string(i));
    data.set("struct", struct_of(i));
    data.set("tell", tells);
    auto tensors = code_.tensors_in(stage.bodies);
    used.insert(tensors.begin(), tensors.end());
    add_loads(data, tensors);
    auto passes = template_list();
    passes << pass(stage, "add", [](const auto&) { return true; });
    auto is_moments = [](const nest_reduction& one) { return one.kind == monoid::moments; };
    if (std::ranges::any_of(stage.reductions, is_moments)) passes << pass(stage, "spread", is_moments);
    data.set("passes", passes);
    return data;
  }

  template <class Belongs>
  template_data pass(const nest_stage& stage, const char* does, const Belongs& belongs) const {
    auto bodies = stage.bodies;
    bodies.results.clear();
    std::vector<const nest_reduction*> mine;
    for (const auto& x : stage.reductions) {
      if (!belongs(x)) continue;
      bodies.results.push_back(stage.bodies.results[x.body]);
      mine.push_back(&x);
    }
    auto text = code_.text_of(needed_part(bodies), level::element, "          ");
    auto uses = template_list(), centres = template_list();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      template_data one;
      one.set("slot", std::to_string(mine[i]->slot));
      one.set("does", does);
      one.set("value",
              text.results[i] + (mine[i]->position ? ", " + code_.position(*mine[i]->position, level::element) : ""));
      uses << one;
      if (mine[i]->kind == monoid::moments && std::string_view{does} == "add") centres << one;
    }
    template_data data;
    data.set("lines", text.lines);
    data.set("uses", uses);
    data.set("centres", centres);
    return data;
  }

  void add_slots(template_data& data, const nest_stage& stage, std::size_t i, std::set<std::uint32_t>& used) const {
    data.set("slots", slots_of_totals(stage, "of_" + std::to_string(i) + (layout_.column ? "[j]" : "")));
    if (stage.derived.results.empty()) return;
    auto tensors = code_.tensors_in(stage.derived);
    used.insert(tensors.begin(), tensors.end());
    auto text = code_.text_of(stage.derived, level::row, "    ");
    auto results = template_list();
    for (std::size_t r = 0; r < text.results.size(); ++r) {
      auto slot = stage.first_derived + static_cast<std::uint32_t>(r);
      template_data one;
      one.set("slot", std::to_string(slot));
      one.set("type", code_.slot_type(slot));
      one.set("value", text.results[r]);
      results << one;
    }
    template_data derived;
    derived.set("lines", text.lines);
    derived.set("results", results);
    data.set("derived", derived);
  }

  template_data slots_of_totals(const nest_stage& stage, const std::string& total) const {
    auto slots = template_list();
    for (const auto& x : stage.reductions)
      for (std::uint32_t s = 0; s < slots_of(x.kind); ++s) {
        template_data one;
        one.set("slot", std::to_string(x.slot + s));
        one.set("type", code_.slot_type(x.slot + s));
        one.set("value", code_.slot_value(total, x, s));
        slots << one;
      }
    return slots;
  }

  // -- results

  template_data results(const printed& text, std::size_t first, bool each_element) const {
    auto all = template_list();
    for (std::size_t i = 0; i < text.results.size(); ++i) {
      const auto& target = layout_.targets[first + i];
      bool whole = (each_element || layout_.column) && target.how == access::vector;
      auto one = reached(code_.target(first + i), target, whole ? access::vector : access::each);
      one.set("value", text.results[i]);
      one.set("past", layout_.past ? "true" : "false");
      all << one;
    }
    return all;
  }

  void add_results(template_data& data, std::set<std::uint32_t>& used) const {
    auto note = [&](const messages::expression& x) {
      auto tensors = code_.tensors_in(x);
      used.insert(tensors.begin(), tensors.end());
      return tensors;
    };
    auto kept = nest_.each_kept.targets.size();
    if (layout_.applies()) {
      template_data apply;
      add_loads(apply, note(nest_.each_element.values));
      auto text = code_.text_of(nest_.each_element.values, level::element, "          ");
      apply.set("lines", text.lines);
      apply.set("results", results(text, kept, true));
      data.set("apply", apply);
    }
    if (kept > 0) {
      note(nest_.each_kept.values);
      auto text = code_.text_of(nest_.each_kept.values, level::row, "      ");
      template_data keep;
      keep.set("lines", text.lines);
      keep.set("results", results(text, 0, false));
      keep.set("in_place", std::ranges::any_of(layout_.operands, &row_tensor::in_place));
      data.set("keep", keep);
    }
    if (nest_.last) {
      note(nest_.last->bodies);
      data.set("final", final());
    }
  }

  template_data final() const {
    const auto& last = *nest_.last;
    auto text = code_.text_of(last.bodies, level::row, "      ");
    auto uses = template_list();
    for (const auto& x : last.reductions) {
      template_data one;
      one.set("slot", std::to_string(x.slot));
      one.set("value", text.results[x.body] + (x.position ? ", " + code_.position(*x.position, level::row) : ""));
      uses << one;
    }
    template_data data;
    data.set("lines", text.lines);
    data.set("uses", uses);
    auto parts = text_of(layout_.parts), blocks = text_of(layout_.blocks);
    bool split = layout_.team == team::split;
    if (layout_.column) split = true;
    data.set("tells", split ? "blockIdx.x % " + parts + " == 0" : layout_.blocks > 1 ? "cluster_rank() == 0" : "true");
    data.set("final_place", split ? "blockIdx.x / " + parts : "blockIdx.x / " + blocks);
    return data;
  }

  template_data last() const {
    template_data data;
    const auto& once = nest_.once.values;
    auto text = code_.text_of(once, level::once, "  ");
    auto stills = template_list();
    for (auto i : code_.tensors_in(once))
      stills << access_data(code_.operand(i), layout_.operands[i].within, access::still, 1, "0");
    data.set("parameters", parameters());
    data.set("threads", text_of(last_threads));
    data.set("warps", text_of(last_threads / 32));
    data.set("finals", text_of(layout_.finals()));
    data.set("slots", slots_of_totals(*nest_.last, "all"));
    data.set("stills", stills);
    data.set("lines", text.lines);
    data.set("results", results(text, nest_.each_kept.targets.size() + nest_.each_element.targets.size(), false));
    return data;
  }

  const row_layout& layout_;
  const reduction_nest& nest_;
  row_code code_;
  std::string name_;
};

}  // namespace

template_data row_data(const row_layout& layout, const std::string& name) { return row_writer{layout, name}.write(); }

}  // namespace dsl::cuda_c
