#pragma once
// Counts what operator new hands out, in programs that are linked with memory_probe.cpp.

#include <atomic>
#include <cstddef>

namespace tests {

struct memory_counter {
  std::atomic<std::size_t> now = 0;
  std::atomic<std::size_t> peak = 0;
};
extern memory_counter memory;

/// Most memory held at once while `f` runs, in bytes beyond what was held before. One thread at a time may ask.
template <class F>
std::size_t peak_of(F f) {
  std::size_t before = memory.now;
  memory.peak = before;
  f();
  return memory.peak - before;
}

}  // namespace tests
