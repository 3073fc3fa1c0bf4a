#include "configs/writable.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdlib>

namespace configs {

std::error_code why_not_writable(const std::filesystem::path& folder) {
  auto name = (folder / ".writable.XXXXXX").string();
  auto fd = ::mkstemp(name.data());
  if (fd < 0) return {errno, std::generic_category()};
  ::close(fd);
  ::unlink(name.c_str());
  return {};
}

}  // namespace configs
