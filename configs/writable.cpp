#include "configs/writable.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace configs {

std::string why_not_writable(const std::filesystem::path& folder) {
  auto name = (folder / ".writable.XXXXXX").string();
  auto fd = ::mkstemp(name.data());
  if (fd < 0) return std::strerror(errno);
  ::close(fd);
  ::unlink(name.c_str());
  return {};
}

}  // namespace configs
