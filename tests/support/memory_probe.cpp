#include "tests/support/memory_probe.hpp"

#include <malloc.h>
#include <cstdlib>
#include <new>

namespace tests {
memory_counter memory;
}  // namespace tests

void* operator new(std::size_t size) {
  auto p = std::malloc(size);
  if (!p) throw std::bad_alloc{};
  auto now = tests::memory.now += malloc_usable_size(p);
  if (now > tests::memory.peak) tests::memory.peak = now;
  return p;
}

void operator delete(void* p) noexcept {
  if (p) tests::memory.now -= malloc_usable_size(p);
  std::free(p);
}

void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
