#include "actors/logic/blob_references.hpp"

#include "messages/wire/codec.hpp"

namespace actors::logic {

using namespace messages;

namespace {

/// Goes over the fields as the wire does, so that a new record needs no line here.
struct blob_collector {
  std::set<blob_hash> found;

  template <class T>
  void operator()(const char*, T& x) {
    look(x);
  }

  void look(blob_hash& x) {
    if (!x.value.empty()) found.insert(x);
  }
  template <wire::record T>
  void look(T& x) {
    x.fields(*this);
  }
  template <class T>
  void look(std::vector<T>& xs) {
    for (auto& x : xs) look(x);
  }
  template <class K, class T>
  void look(std::map<K, T>& xs) {
    for (auto& [key, x] : xs) look(x);
  }
  template <class T>
  void look(std::optional<T>& x) {
    if (x) look(*x);
  }
  template <class... Ts>
  void look(std::variant<Ts...>& x) {
    std::visit([this](auto& y) { look(y); }, x);
  }
  template <class T>
  void look(T&) {}  // a leaf that is no blob
};

template <class T>
std::set<blob_hash> collected(T copy) {  // fields are visited through references that may change
  blob_collector collector;
  collector(nullptr, copy);
  return std::move(collector.found);
}

}  // namespace

std::set<blob_hash> blobs_of(const fact& x) { return collected(x); }
std::set<blob_hash> blobs_of(const stage_request& x) { return collected(x); }
std::set<blob_hash> blobs_of(const stage_result& x) { return collected(x); }
std::set<blob_hash> blobs_of(const candidate_manifest& x) { return collected(x); }

}  // namespace actors::logic
