// For scripts/fuzz: documents are the same in one packet and in packets cut anywhere; what a parser takes is read to
// its end without harm, and its texts are UTF-8.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "llm_client/json_splitter.hpp"
#include "llm_client/json_view.hpp"
#include "llm_client/utf8.hpp"

namespace {

/// @param cuts each of its bytes is the length of a packet
std::string split(std::string_view bytes, std::string_view cuts) {
  llm_client::json_splitter splitter{300};
  std::string all;
  for (std::size_t packet = 0; !bytes.empty(); ++packet) {
    auto length = cuts.empty() ? bytes.size() : 1 + static_cast<unsigned char>(cuts[packet % cuts.size()]) % 9;
    splitter.feed(bytes.substr(0, length), [&](std::string& x) {
      if (x.size() > 300) std::abort();
      all += x + '\2';
      return true;
    });
    bytes.remove_prefix(std::min<std::size_t>(length, bytes.size()));
  }
  return all;
}

void read_all(llm_client::json_view x) {
  auto word = x.word();
  if (llm_client::valid_utf8(word) != word) std::abort();
  x.each([](llm_client::json_view element) { read_all(element); });
  x.each_member([](std::string_view, llm_client::json_view member) { read_all(member); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view all{reinterpret_cast<const char*>(data), size};
  if (split(all, "") != split(all, all.substr(0, std::min<std::size_t>(4, size)))) std::abort();
  if (auto doc = llm_client::parse_server_json(all)) read_all(llm_client::json_view{*doc});
  return 0;
}
