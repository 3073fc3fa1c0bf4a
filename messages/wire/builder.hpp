#ifndef KERNELMESH_MESSAGES_WIRE_BUILDER_HPP
#define KERNELMESH_MESSAGES_WIRE_BUILDER_HPP
// For the parsers only: turns their events into a document and holds them to the limits. Memory grows with values that
// have arrived, never with a length that was announced (msgpack::unpack asks for 4 GB on 40 hostile bytes).

#include "messages/wire/document.hpp"

namespace wire {

class builder {
public:
  builder(document& doc, const limits& limit) : doc_(doc), depth_(limit.depth), memory_left_(limit.memory_bytes) {}

  bool take_memory(std::size_t size) {
    if (size > memory_left_) return fail("more values than the limit allows");
    memory_left_ -= size;
    return true;
  }

  bool value(wire::kind kind, std::uint64_t bits = 0, std::size_t size = 0) {
    if (!take_memory(sizeof(node))) return false;
    if (!open_.empty()) ++doc_.nodes[open_.back()].size;
    doc_.nodes.push_back({kind, static_cast<std::uint32_t>(size), 1, bits});
    return true;
  }
  bool integer(std::int64_t x) { return value(x < 0 ? kind::negative : kind::positive, static_cast<std::uint64_t>(x)); }
  bool real(double x) { return value(kind::real, std::bit_cast<std::uint64_t>(x)); }
  bool text(wire::kind kind, const char* x, std::size_t size) {
    return value(kind, reinterpret_cast<std::uintptr_t>(x), size);
  }

  bool open(wire::kind kind) {
    if (open_.size() == depth_) return fail("nested deeper than " + std::to_string(depth_));
    if (!value(kind)) return false;
    open_.push_back(doc_.nodes.size() - 1);
    return true;
  }
  bool close() {
    auto& x = doc_.nodes[open_.back()];
    x.extent = static_cast<std::uint32_t>(doc_.nodes.size() - open_.back());
    if (x.kind == kind::map) x.size /= 2;  // keys were counted too
    open_.pop_back();
    return true;
  }

  bool fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }
  error failure() const { return {{}, problem_}; }

private:
  document& doc_;
  std::size_t depth_;
  std::size_t memory_left_;
  std::vector<std::size_t> open_;
  std::string problem_;
};

}  // namespace wire

#endif
