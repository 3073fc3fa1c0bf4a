#include "dsl/cuda_c/tensor_text.hpp"

#include "dsl/c_printer.hpp"
#include "dsl/text.hpp"

namespace dsl::cuda_c {

std::string tensor_text::parameter(bool constant, bool alone) const {
  return std::string{", "} + (constant ? "const " : "") + std::string{type_of(spec.dtype)} + "* "
         + (alone ? "__restrict__ " : "") + id;
}

template_data tensor_text::comment() const {
  template_data data;
  data.set("id", id);
  data.set("what", name + ' ' + shape_of(spec));
  return data;
}

template_data access_data(const tensor_text& x, const way& along, access how, std::int64_t vector,
                          const std::string& number) {
  template_data data;
  data.set("id", x.id);
  data.set("type", std::string{type_of(x.spec.dtype)});
  data.set("width", std::to_string(how == access::repeated ? 1 : vector));
  data.set("offset", along.offset(number));
  data.set("element", along.offset("e"));
  data.set("vector", how == access::vector);
  data.set("repeated", how == access::repeated);
  data.set("each", how == access::each);
  return data;
}

std::string without_gaps(std::string_view text) {
  std::string kept;
  bool gap = false;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty()) {
      gap = true;
      continue;
    }
    bool inside = line.front() == ' ' || line.front() == '#' || line == "}";
    if (gap && !inside) kept += '\n';
    gap = false;
    kept += std::string{line} + '\n';
  }
  return kept;
}

std::string at_hand(const std::string& id, access how) {
  if (how == access::still) return 'v' + id;
  return 'p' + id + "[k].at[" + (how == access::repeated ? "0" : "j") + ']';
}

}  // namespace dsl::cuda_c
