// For scripts/fuzz: events are the same in one packet and in packets cut anywhere, and never larger than their limit.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "llm_client/sse_parser.hpp"

namespace {

constexpr llm_client::sse_limits small{.line_bytes = 200, .event_bytes = 300};

/// @param cuts each of its bytes is the length of a packet
std::string heard(std::string_view bytes, std::string_view cuts) {
  llm_client::sse_parser parser{small};
  std::string all;
  bool within = true;
  for (std::size_t packet = 0; !bytes.empty(); ++packet) {
    auto length = cuts.empty() ? bytes.size() : 1 + static_cast<unsigned char>(cuts[packet % cuts.size()]) % 9;
    within = parser.feed(bytes.substr(0, length), [&](llm_client::sse_event& x) {
      if (x.data.size() > small.event_bytes || x.name.size() > small.line_bytes) std::abort();
      all += x.name + '\1' + x.data + '\2';
      return true;
    });
    bytes.remove_prefix(std::min<std::size_t>(length, bytes.size()));
  }
  return all + (parser.in_event() ? "open" : "") + (within ? "" : "refused");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view all{reinterpret_cast<const char*>(data), size};
  auto cuts = all.substr(0, std::min<std::size_t>(4, size));
  auto whole = heard(all, ""), cut = heard(all, cuts);
  // Where a limit is passed, how much of the line was taken before depends on the packets; the events do not.
  if (whole.substr(0, whole.rfind('\2') + 1) != cut.substr(0, cut.rfind('\2') + 1)) std::abort();
  return 0;
}
