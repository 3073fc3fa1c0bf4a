#include "actors/cli/command_line.hpp"

#include <exception>

#include "configs/scalars.hpp"

namespace actors::cli {

using namespace messages;

namespace {

expected<void> read_time_limit(command_line& x) {
  if (!x.time_limit) return {};
  std::chrono::milliseconds limit{0};
  bool read = configs::parse_scalar(*x.time_limit, limit) && limit >= std::chrono::seconds{1};
  x.optimize.time = x.bench.time = limit;
  if (read) return {};
  return fail(failure_code::bad_input,
              "--for: \"" + *x.time_limit + "\" is no time of 1s or more; write 90s, 10m or 1h30m");
}

expected<void> read_shrink_to(command_line& x) {
  if (x.shrink_to.empty()) return {};
  configs::byte_size size;
  bool read = configs::parse_scalar(x.shrink_to, size) && size.bytes > 0;
  x.bench.shrink_to_bytes = size.bytes;
  if (read) return {};
  return fail(failure_code::bad_input, "--shrink-to: \"" + x.shrink_to + "\" is no size; write 64MiB or 1GiB");
}

}  // namespace

outcome carry_out(command_line& x) {
  for (auto read : {read_time_limit, read_shrink_to})
    if (auto good = read(x); !good) return tl::unexpected{good.error()};
  try {
    return x.chosen();
  } catch (const std::exception& e) {  // of the standard library: no memory, no such path
    return fail(failure_code::storage, e.what());
  }
}

}  // namespace actors::cli
