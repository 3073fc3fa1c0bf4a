#include "dsl/launch_program.hpp"

#include <algorithm>
#include <optional>

#include "dsl/mustache.hpp"
#include "dsl/text.hpp"
#include "messages/wire/wire.hpp"

namespace dsl {

namespace {

using messages::buffer_kind;
using messages::buffer_place;
using messages::launch_operation;

/// Buffers begin at multiples of that; so do those that scratch is made of.
constexpr std::uint64_t grain = 256;

/// Scratch buffers of a program: each is taken again when nobody needs what it holds.
class scratch_space {
public:
  /// @param first,last the groups between which it holds something
  std::uint32_t take(std::uint64_t bytes, std::size_t first, std::size_t last) {
    bytes = std::max<std::uint64_t>((bytes + grain - 1) / grain, 1) * grain;
    auto* best = &all_.emplace_back();  // a new one, unless an old one does
    for (auto& x : all_) {
      if (&x == &all_.back() || x.last >= first) continue;
      bool closer = best == &all_.back() || waste(x.bytes, bytes) < waste(best->bytes, bytes);
      if (closer) best = &x;
    }
    if (best != &all_.back()) all_.pop_back();
    best->bytes = std::max(best->bytes, bytes);
    best->last = last;
    return static_cast<std::uint32_t>(best - all_.data());
  }

  std::vector<std::uint64_t> sizes() const {
    std::vector<std::uint64_t> bytes;
    for (const auto& x : all_) bytes.push_back(x.bytes);
    return bytes;
  }

private:
  struct buffer {
    std::uint64_t bytes = 0;
    std::size_t last = 0;
  };
  static std::uint64_t waste(std::uint64_t have, std::uint64_t need) { return have > need ? have - need : need - have; }

  std::vector<buffer> all_;
};

/// Where each tensor lies while the program runs.
class tensor_places {
public:
  tensor_places(const graph_index& graph, std::span<const group_text> groups) : graph_(graph), groups_(groups) {
    std::uint32_t next = 0;
    for (const auto& name : values_read(graph, groups)) places_[name] = {buffer_kind::argument, next++, 0};
    for (std::uint32_t i = 0; i < graph.graph().outputs.size(); ++i)
      places_[graph.graph().outputs[i]] = {buffer_kind::output, i, 0};
  }

  /// Makes room for what the group writes and for its own scratch.
  void enter(std::size_t at) {
    const auto& group = groups_[at];
    for (const auto& node : group.writes) {
      if (places_.contains(node)) continue;
      places_[node] = {buffer_kind::scratch, space_.take(extent_bytes(*graph_.spec(node)), at, last_use(node, at)), 0};
    }
    own_.clear();
    for (auto bytes : group.scratch) own_.push_back(space_.take(bytes, at, at));
  }

  /// From the numbering of the group that was entered.
  buffer_place whole(const group_text& group, buffer_place x) const {
    if (x.buffer == buffer_kind::scratch) return {x.buffer, own_.at(x.index), x.offset};
    const auto& names = x.buffer == buffer_kind::argument ? group.reads : group.writes;
    auto place = places_.at(names.at(x.index));
    place.offset = x.offset;
    return place;
  }

  scratch_space& space() { return space_; }

private:
  std::size_t last_use(const std::string& node, std::size_t from) const {
    for (auto i = groups_.size(); i-- > from;)
      if (std::ranges::count(groups_[i].reads, node) > 0) return i;
    return from;
  }

  const graph_index& graph_;
  std::span<const group_text> groups_;
  std::map<std::string, buffer_place, std::less<>> places_;
  scratch_space space_;
  std::vector<std::uint32_t> own_;
};

class launch_joiner {
public:
  launch_joiner(const graph_index& graph, std::span<const group_text> groups, const std::string& image)
      : groups_(groups), image_(image), places_(graph, groups) {}

  messages::launch_record join() {
    for (std::size_t i = 0; i < groups_.size(); ++i) add(groups_[i], i);
    // Whoever runs it refuses a record that does nothing.
    if (record_.operations.empty())
      record_.operations.push_back(messages::memory_fill{
          {buffer_kind::scratch, places_.space().take(grain, groups_.size(), groups_.size()), 0}, grain, 0});
    record_.scratch = places_.space().sizes();
    return std::move(record_);
  }

private:
  void add(const group_text& group, std::size_t at) {
    places_.enter(at);
    auto first = group.images.empty() ? std::nullopt : std::optional{record_.images.size()};
    for (const auto& name : group.images) record_.images.push_back({name, {}});
    for (auto operation : group.launches) {
      std::visit([&](auto& x) { move(group, x); }, operation);
      if (auto* launch = std::get_if<messages::kernel_launch>(&operation))
        launch->image = first ? static_cast<std::uint32_t>(*first) + launch->image : shared_image();
      record_.operations.push_back(std::move(operation));
    }
  }

  void move(const group_text& group, messages::kernel_launch& x) const {
    for (auto& parameter : x.parameters)
      for (auto& pointer : parameter.pointers) pointer.place = places_.whole(group, pointer.place);
  }
  void move(const group_text& group, messages::memory_fill& x) const { x.place = places_.whole(group, x.place); }
  void move(const group_text& group, messages::memory_copy& x) const {
    x.from = places_.whole(group, x.from);
    x.to = places_.whole(group, x.to);
  }

  std::uint32_t shared_image() {
    if (!shared_) {
      shared_ = static_cast<std::uint32_t>(record_.images.size());
      record_.images.push_back({image_, {}});
    }
    return *shared_;
  }

  std::span<const group_text> groups_;
  const std::string& image_;
  tensor_places places_;
  messages::launch_record record_;
  std::optional<std::uint32_t> shared_;
};

}  // namespace

std::uint64_t extent_bytes(const messages::tensor_spec& x) {
  std::int64_t last = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (x.shape[i] == 0) return 0;
    last += (x.shape[i] - 1) * x.strides[i];
  }
  return static_cast<std::uint64_t>(last) * messages::bytes_of(x.dtype);
}

messages::kernel_parameter pointer_to(buffer_kind buffer, std::size_t index, std::uint64_t offset) {
  auto parameter = parameter_of(std::uint64_t{0});
  parameter.pointers.push_back({0, {buffer, static_cast<std::uint32_t>(index), offset}});
  return parameter;
}

messages::expected<program> launch_program(const graph_index& graph, std::span<const group_text> groups,
                                           const std::string& image) {
  auto arguments = bind_arguments(graph, groups);
  if (!arguments) return tl::unexpected{arguments.error()};
  auto outputs = bind_outputs(graph, groups);
  if (!outputs) return tl::unexpected{outputs.error()};
  messages::launch_record_entry entry;
  auto record = launch_joiner{graph, groups, image}.join();
  std::map<std::string, std::string> sources{{entry.record, wire::to_json(record, {.indent = 1}) + '\n'}};
  return program{std::move(entry), std::move(sources), *std::move(arguments), *std::move(outputs)};
}

messages::expected<program> launch_program(const language_files& files, const graph_index& graph,
                                           std::span<const group_text> groups, const std::string& file) {
  auto made = launch_program(graph, groups, file);
  if (!made) return made;
  auto texts = template_list();
  for (const auto& group : groups) texts << template_data{"text", group.text};
  template_data data;
  data.set("task", harmless(graph.graph().task));
  data.set("groups", texts);
  auto text = render(files.program_template, data, (files.folder / files.manifest.program).string());
  if (!text) return tl::unexpected{text.error()};
  made->sources.insert(files.support.begin(), files.support.end());
  made->sources[file] = *std::move(text);
  return made;
}

}  // namespace dsl
