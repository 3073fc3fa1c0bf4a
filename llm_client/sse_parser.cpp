#include "llm_client/sse_parser.hpp"

#include <utility>

namespace llm_client {

bool sse_parser::take_line(std::string_view& bytes) {
  if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
    bytes.remove_prefix(1);  // the second half of an end of line that was taken already
    return false;
  }
  auto end = bytes.find_first_of("\r\n");
  auto length = end == bytes.npos ? bytes.size() : end;
  if (line_.size() + length > limits_.line_bytes) {
    failed_ = true;
    return false;
  }
  line_.append(bytes.substr(0, length));
  if (end == bytes.npos) {
    bytes = {};
    return false;
  }
  after_cr_ = bytes[end] == '\r';
  bytes.remove_prefix(end + 1);
  return true;
}

bool sse_parser::end_line() {
  std::string_view line = line_;
  if (std::exchange(first_line_, false) && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  bool ended = false;
  if (line.empty()) {
    ended = has_data_;
    if (!ended) event_ = {};
  } else if (line.front() == ':') {
    ++comments_;
  } else {
    auto colon = line.find(':');
    auto value = colon == line.npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    field(line.substr(0, colon), value);
  }
  line_.clear();
  return ended;
}

void sse_parser::field(std::string_view name, std::string_view value) {
  if (name == "event") {
    event_.name = value;
  } else if (name == "data") {
    if (event_.data.size() + value.size() + 1 > limits_.event_bytes) {
      failed_ = true;
      return;
    }
    if (has_data_) event_.data += '\n';
    event_.data.append(value);
    has_data_ = true;
  }  // "id" and "retry" are for browsers that connect again
}

sse_event sse_parser::take_event() {
  has_data_ = false;
  return std::exchange(event_, {});
}

}  // namespace llm_client
