#include "every_record.hpp"  // made by tests/messages/CMakeLists.txt
#include "messages/records/content_hash.hpp"
#include "tests/support/random_values.hpp"
#include "tests/support/record_description.hpp"
#include "tests/support/record_list.hpp"

namespace tests {

namespace {

template <class T>
class record_value final : public any_record {
public:
  void fill(random_values& random) override { random.fill(x_); }
  wire::bytes pack() const override { return wire::pack(x_); }
  std::string to_json(const wire::json_style& style) const override { return wire::to_json(x_, style); }
  std::string content_hash() const override { return messages::content_hash(x_); }
  std::optional<wire::error> unpack(wire::bytes_view input, const wire::limits& limit) override {
    return take(wire::parse_msgpack(input, limit), limit);
  }
  std::optional<wire::error> from_json(std::string_view input, const wire::limits& limit) override {
    return take(wire::parse_json(input, limit), limit);
  }
  bool equals(const any_record& other) const override { return x_ == static_cast<const record_value&>(other).x_; }
  void describe(type_descriptions& out) const override { type_walk{out}.record<T>(); }

private:
  std::optional<wire::error> take(const wire::expected<wire::document>& doc, const wire::limits& limit) {
    auto x = wire::from_document<T>(doc, limit);
    if (!x) return x.error();
    x_ = *std::move(x);
    return std::nullopt;
  }

  T x_;
};

template <class T>
std::unique_ptr<any_record> make() {
  return std::make_unique<record_value<T>>();
}

#define KERNELMESH_KIND(name) {#name, make<messages::name>},
constexpr record_kind kinds[]{KERNELMESH_RECORDS(KERNELMESH_KIND)};
#undef KERNELMESH_KIND

}  // namespace

std::span<const record_kind> record_kinds() { return kinds; }

}  // namespace tests
