#include "dsl/cpp/nest_text.hpp"

#include <algorithm>
#include <set>

#include "dsl/cpp/nest_code.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/expression_builder.hpp"
#include "dsl/knobs.hpp"

namespace dsl::cpp {

namespace {

using messages::dtype;
using messages::knob_values;

std::string flag(bool x) { return x ? "true" : "false"; }

constexpr std::int64_t streaming_bytes = 16 << 20;
constexpr std::int64_t streamed_at_once = 1024;
constexpr std::int64_t unit_blocks = 256;

class writer {
public:
  writer(const nest_layout& layout, const nest_interface& interface, const knob_values& knobs)
      : layout_(layout),
        nest_(layout.nest),
        interface_(interface),
        knobs_(knobs),
        code_(layout, word_knob(knobs, "math") == "plain") {}

  template_data write() {
    template_data data;
    add_numbers(data);
    data.set("tensors", tensors());
    data.set("slots", slots());
    auto stages = template_list();
    for (std::size_t i = 0; i < nest_.stages.size(); ++i) stages << stage(nest_.stages[i], i);
    data.set("stages", stages);
    add_results(data);
    add_last(data);
    return data;
  }

private:
  // -- numbers

  bool parallel() const { return layout_.elements() >= integer_knob(knobs_, "parallel_threshold"); }

  bool streams() const {
    if (layout_.element.empty()) return false;
    if (word_knob(knobs_, "streaming_stores") != "auto") return word_knob(knobs_, "streaming_stores") == "on";
    std::int64_t bytes = 0;
    for (const auto& x : layout_.element)
      bytes += layout_.elements() * static_cast<std::int64_t>(messages::bytes_of(x.tensor.spec.dtype));
    return bytes >= streaming_bytes;
  }

  std::int64_t longest() const {
    if (layout_.column) return layout_.width;
    return streams() ? streamed_at_once : INT64_C(1) << 40;
  }

  void add_numbers(template_data& data) const {
    data.set("kept", std::to_string(nest_.kept));
    data.set("reduced", std::to_string(nest_.sizes.size() - nest_.kept));
    data.set("tensor_count", std::to_string(code_.operands().size() + code_.targets().size()));
    data.set("sizes", list_of(nest_.sizes));
    data.set("column", layout_.column);
    data.set("row", !layout_.column);
    data.set("is_column", flag(layout_.column));
    data.set("width", std::to_string(layout_.width));
    data.set("stream_width", std::to_string(layout_.width / layout_.streams));
    data.set("stream_count", std::to_string(layout_.streams));
    auto streams = template_list();
    for (std::int64_t i = 0; i < layout_.streams; ++i) {
      template_data one;
      one.set("number", std::to_string(i));
      one.set("first_lane", std::to_string(i * layout_.width / layout_.streams));
      streams << one;
    }
    data.set("memory_streams", streams);
    data.set("partial", std::to_string(integer_knob(knobs_, "partial")));
    data.set("units", std::to_string(layout_.units));
    data.set("unit_blocks", std::to_string(std::min(layout_.units, unit_blocks)));
    data.set("count", std::to_string(layout_.count));
    data.set("blocks", std::to_string(layout_.blocks));
    data.set("parallel", flag(parallel()));
    data.set("dynamic", flag(word_knob(knobs_, "schedule") == "dynamic"));
    data.set("applies", flag(!layout_.element.empty()));
    data.set("apply_longest", std::to_string(longest()));
  }

  // -- tensors

  template_data tensors() const {
    auto all = template_list();
    for (const auto& x : code_.operands()) all << tensor(x, true);
    for (const auto& x : code_.targets()) all << tensor(x, false);
    return all;
  }

  std::string source_of(const std::string& name, bool is_read) const {
    auto written = std::ranges::find(interface_.writes, name);
    if (!is_read && written != interface_.writes.end()) {
      return "out[" + std::to_string(written - interface_.writes.begin()) + ']';
    }
    auto read = std::ranges::find(interface_.reads, name);
    return "in[" + std::to_string(read - interface_.reads.begin()) + ']';
  }

  template_data tensor(const nest_variable& v, bool is_read) const {
    const auto& x = v.place->tensor;
    template_data data;
    data.set("id", v.id);
    data.set("index", std::to_string(v.index));
    data.set("what", (x.is_position() ? "a position" : x.name) + ' ' + shape_of(x.spec));
    data.set("shape", list_of(x.spec.shape));
    data.set("strides", list_of(x.spec.strides));
    data.set("steps", list_of(x.steps));
    data.set("dense_strides", list_of(v.place->dense_strides));
    data.set("dense_steps", list_of(x.dense_steps));
    data.set("dtype", dtype_of(x.spec.dtype));
    data.set("bytes", std::to_string(messages::bytes_of(x.spec.dtype)));
    data.set("tensor_rank", std::to_string(x.spec.shape.size()));
    data.set("position", x.is_position());
    data.set("is_read", flag(is_read));
    data.set("written", !is_read);
    if (!x.is_position()) data.set("from", source_of(x.name, is_read));
    return data;
  }

  // -- slots

  template_data slots() const {
    auto all = template_list();
    for (std::uint32_t s = 0; s < nest_.slots; ++s) {
      template_data one;
      one.set("slot", std::to_string(s));
      one.set("type", code_.slot_type(s));
      all << one;
    }
    return all;
  }

  template_data piece(const nest_uses& u, const printed& text) const {
    template_data data;
    data.set("locals", u.locals);
    data.set("parameters", u.parameters);
    data.set("arguments", u.arguments);
    data.set("lines", text.lines);
    return data;
  }

  // -- stages

  template_data stage(const nest_stage& stage, std::size_t index) const {
    template_data data;
    auto reductions = template_list();
    auto moments = template_list();
    bool two_passes = false;
    for (const auto& x : stage.reductions) {
      template_data one;
      one.set("slot", std::to_string(x.slot));
      one.set("monoid", code_.monoid_of(x, code_.element_type()));
      auto filled = "v.s" + std::to_string(x.slot);
      if (slots_of(x.kind) == 2) filled += ", v.s" + std::to_string(x.slot + 1);
      one.set("filled", filled);
      reductions << one;
      if (x.kind == monoid::moments) moments << one;
      two_passes = two_passes || x.kind == monoid::moments;
    }
    data.set("stage", std::to_string(index));
    data.set("reductions", reductions);
    data.set("moments", moments);
    data.set("two_passes", flag(two_passes));
    data.set("has_two_passes", two_passes);
    auto passes = template_list();
    passes << pass(stage, "add", [](const auto&) { return true; });
    if (two_passes) passes << pass(stage, "spread", [](const auto& x) { return x.kind == monoid::moments; });
    data.set("passes", passes);
    if (!stage.derived.results.empty()) data.set("derived", derived(stage));
    return data;
  }

  template <class Belongs>
  template_data pass(const nest_stage& stage, const char* name, const Belongs& belongs) const {
    std::set<std::uint32_t> positions;
    auto bodies = stage.bodies;
    bodies.results.clear();
    auto all = template_list();
    std::vector<const nest_reduction*> mine;
    for (const auto& x : stage.reductions) {
      if (!belongs(x)) continue;
      if (x.position) positions.insert(*x.position);
      bodies.results.push_back(stage.bodies.results[x.body]);
      mine.push_back(&x);
    }
    bodies = needed_part(bodies);
    auto text = code_.text_of(bodies, precision::element, "      ");
    for (std::size_t i = 0; i < mine.size(); ++i) {
      template_data one;
      auto where = mine[i]->position ? ", " + code_.operands()[*mine[i]->position].position() : std::string{};
      one.set("slot", std::to_string(mine[i]->slot));
      one.set("does", name);
      one.set("value", text.results[i] + where);
      all << one;
    }
    auto data = piece(code_.uses_of(bodies, positions), text);
    data.set("pass", name);
    data.set("uses", all);
    return data;
  }

  template_data derived(const nest_stage& stage) const {
    auto text = code_.text_of(stage.derived, precision::kept, "      ");
    auto results = template_list();
    for (std::size_t i = 0; i < text.results.size(); ++i) {
      template_data one;
      one.set("slot", std::to_string(stage.first_derived + i));
      one.set("value", text.results[i]);
      results << one;
    }
    auto data = piece(code_.uses_of(stage.derived), text);
    data.set("results", results);
    return data;
  }

  // -- results

  template_data results(const messages::expression& x, const printed& text, std::size_t first, nest_uses& u,
                        const std::set<std::string>& streamed) const {
    auto all = template_list();
    for (std::size_t i = 0; i < x.results.size(); ++i) {
      const auto& target = code_.targets()[first + i];
      code_.use_tensor(u, target, false, streamed.contains(target.id) ? "tile_" + target.id : target.id);
      template_data one;
      one.set("target", target.element());
      one.set("type", target.type());
      one.set("value", text.results[i]);
      all << one;
    }
    return all;
  }

  void add_results(template_data& data) const {
    const auto& kept = nest_.each_kept.values;
    if (!layout_.kept.empty()) {
      auto text = code_.text_of(kept, precision::kept, "      ");
      auto u = code_.uses_of(kept);
      auto all = results(kept, text, 0, u, {});
      auto one = piece(u, text);
      one.set("results", all);
      data.set("keep", one);
    }
    if (!layout_.element.empty()) data.set("apply", apply());
  }

  template_data apply() const {
    const auto& x = nest_.each_element.values;
    auto streamed = template_list();
    std::set<std::string> ids;
    for (std::size_t i = 0; streams() && i < layout_.element.size(); ++i) {
      const auto& target = code_.targets()[layout_.kept.size() + i];
      if (target.place->inner != motion::unit) continue;
      template_data one;
      one.set("id", target.id);
      one.set("type", target.type());
      streamed << one;
      ids.insert(target.id);
    }
    auto text = code_.text_of(x, precision::element, "      ");
    auto u = code_.uses_of(x);
    auto all = results(x, text, layout_.kept.size(), u, ids);
    auto data = piece(u, text);
    data.set("results", all);
    data.set("streams", streamed);
    return data;
  }

  void add_last(template_data& data) const {
    auto last = template_list();
    if (nest_.last) {
      auto text = code_.text_of(nest_.last->bodies, precision::kept, "      ");
      auto results = template_list();
      for (const auto& x : nest_.last->reductions) {
        template_data one;
        one.set("slot", std::to_string(x.slot));
        one.set("monoid", code_.monoid_of(x, nest_.compute == dtype::int64 ? "int64_t" : "double"));
        one.set("value", text.results[x.body] + (x.position ? ", " + code_.operands()[*x.position].position() : ""));
        last << one;
        results << one;
      }
      std::set<std::uint32_t> positions;
      for (const auto& x : nest_.last->reductions)
        if (x.position) positions.insert(*x.position);
      auto final = piece(code_.uses_of(nest_.last->bodies, positions), text);
      final.set("results", results);
      data.set("final", final);
      data.set("once", once());
    }
    data.set("last", last);
  }

  template_data once() const {
    nest_uses u;
    for (const auto& reduction : nest_.last->reductions) {
      auto name = [&](std::uint32_t i) { return 's' + std::to_string(reduction.slot + i); };
      std::string given;
      for (std::uint32_t i = 0; i < slots_of(reduction.kind); ++i) {
        u.locals += "    [[maybe_unused]] " + code_.slot_type(reduction.slot + i) + ' ' + name(i) + ";\n";
        given += (i == 0 ? "" : ", ") + name(i);
      }
      u.locals += "    all.r" + std::to_string(reduction.slot) + ".give(" + given + ");\n";
    }
    const auto& x = nest_.once.values;
    auto text = code_.text_of_once(x, u);
    auto all = results(x, text, layout_.kept.size() + layout_.element.size(), u, {});
    auto data = piece(u, text);
    data.set("results", all);
    return data;
  }

  const nest_layout& layout_;
  const reduction_nest& nest_;
  const nest_interface& interface_;
  const knob_values& knobs_;
  nest_code code_;
};

}  // namespace

template_data nest_data(const nest_layout& layout, const nest_interface& interface, const knob_values& knobs) {
  return writer{layout, interface, knobs}.write();
}

}  // namespace dsl::cpp
