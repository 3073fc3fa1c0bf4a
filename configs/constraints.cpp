#include "configs/constraints.hpp"

#include "configs/system_config.hpp"

namespace configs {

bool device_form::ok(const std::string& x) const {
  auto slash = node_allowed ? x.find('/') : std::string::npos;
  if (slash != std::string::npos && !short_name{}.ok(x.substr(0, slash))) return false;
  auto name = slash == std::string::npos ? x : x.substr(slash + 1);
  auto colon = name.find(':');
  if (colon == std::string::npos) return false;
  std::uint32_t number = 0;
  auto kind = name.substr(0, colon);
  return short_name{}.ok(kind) && one_of{kinds}.ok(kind) && parse_scalar(name.substr(colon + 1), number);
}

void device_form::word(std::string& wanted) const {
  wanted = "a device as KIND:NUMBER, such as \"cpu:0\"";
  if (!kinds.empty()) wanted += ", its kind one of " + listed(kinds);
}

std::string device_form::hint(const std::string& x) const {
  auto name = x.substr(x.find('/') + 1);  // npos + 1 is 0
  auto kind = kind_of(name);
  if (one_of{kinds}.ok(kind)) return {};
  auto near = nearest(kind, kinds);
  return near.empty() ? "" : " (did you mean " + in_quotes(near + name.substr(kind.size())) + "?)";
}

}  // namespace configs
