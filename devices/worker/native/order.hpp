#pragma once
// What the judge lends and orders: the part of PROTOCOL.md's order that a c_abi candidate needs.

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "messages/records/candidate.hpp"
#include "messages/wire/document.hpp"

namespace devices::worker::native {

/// Failures are what the judge is told, one sentence.
template <class T>
using expected = tl::expected<T, std::string>;

inline tl::unexpected<std::string> failed(std::string what) { return tl::unexpected{std::move(what)}; }

/// Places of the lent buffers.
constexpr std::uint32_t inputs_buffer = 0, weights_buffer = 1, outputs_buffer = 2, buffer_count = 3;

/// A tensor in a lent buffer.
struct lent_tensor {
  messages::tensor_spec spec;
  std::uint64_t offset = 0;             ///< bytes from the buffer's start
  std::uint32_t lent = outputs_buffer;  ///< said of arguments only

  void fields(auto& f) {
    spec.fields(f);
    f("offset", offset);
    f("lent", lent);
  }
};

/// What is called for one shape of a task that has several.
struct order_variant {
  std::string function;
  std::vector<lent_tensor> arguments;
  std::vector<lent_tensor> outputs;

  void fields(auto& f) {
    f("function", function);
    f("arguments", arguments);
    f("outputs", outputs);
  }
};

struct order {
  messages::candidate_entry entry;
  std::string artifact;             ///< the library, absolute; "": none, for a host whose clock is to be measured
  std::int32_t cores = 0;           ///< how many threads it may use
  std::vector<std::uint64_t> lent;  ///< bytes of inputs, weights, outputs
  std::vector<lent_tensor> arguments;
  std::vector<lent_tensor> outputs;
  std::vector<order_variant> variants;  ///< in place of the entry's function, arguments and outputs; never empty once
                                        ///< it was checked

  void fields(auto& f) {
    f("entry", entry);
    f("artifact", artifact);
    f("cores", cores);
    f("lent", lent);
    f("arguments", arguments);
    f("outputs", outputs);
    f("variants", variants);
  }
};

constexpr std::size_t most_dimensions = 64;

/// An order that can be carried out: its entry is a c_abi, and each of its tensors lies wholly in its lent buffer. One
/// without variants gets the only one that it has.
expected<order> parse_order(wire::bytes_view message);

/// Reads a file from its start, whatever its position, and closes it.
expected<order> read_order(int descriptor);
expected<wire::bytes> read_order_content(int descriptor);

/// Whether each lies wholly in its lent buffer, one of those from `first` to `last`. `name`: what they are, "argument".
expected<void> check_tensors(const std::vector<lent_tensor>& tensors, const char* name, std::uint32_t first,
                             std::uint32_t last, const std::vector<std::uint64_t>& lent);

/// Bytes between a tensor's first and last, both counted; a failure for what is no tensor or is beyond counting.
expected<std::uint64_t> extent_bytes(const messages::tensor_spec& spec);

}  // namespace devices::worker::native
