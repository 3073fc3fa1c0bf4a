#pragma once
// One JSON document after another from packets cut anywhere: a whole body, or a document a line. It finds where each
// ends and leaves what is in it to the parser; white space between them (servers send it to keep a connection) is
// dropped. Memory is bounded by the limit whatever comes.

#include <cstdint>
#include <string>
#include <string_view>

namespace llm_client {

class json_splitter {
public:
  explicit json_splitter(std::size_t document_bytes = 16u << 20) : limit_(document_bytes) {}

  /// Calls `f(std::string&)` for each object or array that is whole now, until it returns false.
  /// @return false once something else than these stood there, or a limit was passed: nothing is read any more
  template <class F>
  bool feed(std::string_view bytes, F f) {
    while (!bytes.empty() && !failed_) {
      if (!take(bytes)) continue;
      std::string document;
      document.swap(document_);
      if (!f(document)) return true;
    }
    return !failed_;
  }

  /// Where a body ends here, it was cut.
  bool in_document() const { return !document_.empty(); }

private:
  /// Moves bytes to the document; true when it ended.
  bool take(std::string_view& bytes);
  bool skip_space(std::string_view& bytes);
  void step(char c);

  std::size_t limit_;
  std::string document_;
  std::uint64_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool failed_ = false;
};

}  // namespace llm_client
