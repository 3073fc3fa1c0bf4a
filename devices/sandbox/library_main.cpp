// libkernelmesh-sandbox.so: the sandbox for zygote and judge, with a C interface.
//
// Each function returns a number from 0 up, or -1 and a sentence in `error`.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "devices/sandbox/rights.hpp"
#include "devices/sandbox/sandbox.hpp"

using namespace devices;

namespace {

int answer(const sandbox::expected<int>& x, char* error, std::size_t room) {
  if (x) return *x;
  auto length = std::min(x.error().size(), room - 1);
  std::memcpy(error, x.error().data(), length);
  error[length] = 0;
  return -1;
}

int zero() { return 0; }

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int kernelmesh_sandbox_become_worker(char* error, std::size_t room) {
  return answer(sandbox::become_worker().map(zero), error, room);
}

/// Returns the pid of the namespace's init.
EXPORTED int kernelmesh_sandbox_open_pid_namespace(const char* guard, char* error, std::size_t room) {
  return answer(sandbox::open_pid_namespace(guard), error, room);
}

EXPORTED int kernelmesh_sandbox_close_pid_namespace(int own, char* error, std::size_t room) {
  return answer(sandbox::close_pid_namespace(own).map(zero), error, room);
}

/// By a candidate that has loaded its program: from now on it can start no process.
EXPORTED int kernelmesh_sandbox_end_processes(char* error, std::size_t room) {
  return answer(sandbox::filter_calls(sandbox::rules::candidate).map(zero), error, room);
}

EXPORTED int kernelmesh_sandbox_become_candidate(const char* text, char* error, std::size_t room) {
  auto entered = sandbox::parse(text).and_then(sandbox::become_candidate);
  return answer(entered.map(zero), error, room);
}
