#include "llm_client/json_splitter.hpp"

namespace llm_client {

bool json_splitter::skip_space(std::string_view& bytes) {
  auto begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == bytes.npos) {
    bytes = {};
    return false;
  }
  bytes.remove_prefix(begin);
  failed_ = bytes.front() != '{' && bytes.front() != '[';
  return !failed_;
}

void json_splitter::step(char c) {
  if (in_text_) {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\')
      escaped_ = true;
    else if (c == '"')
      in_text_ = false;
    return;
  }
  if (c == '"')
    in_text_ = true;
  else if (c == '{' || c == '[')
    ++depth_;
  else if (c == '}' || c == ']')
    --depth_;
}

bool json_splitter::take(std::string_view& bytes) {
  if (document_.empty() && !skip_space(bytes)) return false;
  std::size_t i = 0;
  do step(bytes[i++]);
  while (depth_ > 0 && i < bytes.size());
  if (document_.size() + i > limit_) {
    failed_ = true;
    return false;
  }
  document_.append(bytes.substr(0, i));
  bytes.remove_prefix(i);
  return depth_ == 0;
}

}  // namespace llm_client
