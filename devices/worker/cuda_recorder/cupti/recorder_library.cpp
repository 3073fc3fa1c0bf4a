// libkernelmesh-recorder.so: loaded by the CUDA driver into a candidate's process (CUDA_INJECTION64_PATH), it records
// what the candidate's calls launch. Asked by ctypes, from that process, in this order: begin, lend for each argument,
// the candidate's call, output for each of its tensors, end; the same again on other contents; write.

#include <unistd.h>
#include <cstring>

#include "devices/worker/cuda_recorder/cupti/driver_watch.hpp"
#include "messages/wire/wire.hpp"

using namespace devices::worker::recorder;

namespace {

struct recorded_calls {
  std::vector<memory_range> outputs;
  std::vector<messages::launch_record> records;
  std::string failure;
};

recorded_calls& recorded() {
  static recorded_calls x;
  return x;
}

bool write_all(int descriptor, wire::bytes_view content) {
  while (!content.empty()) {
    auto count = ::write(descriptor, content.data(), content.size());
    if (count <= 0) return false;
    content = content.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::string write_record(int descriptor, const std::string& arch) {
  auto& x = recorded();
  if (!x.failure.empty()) return x.failure;
  if (x.records.size() < 2) return "two calls are needed to see what they have in common";
  auto& last = x.records.back();
  if (auto where = difference(x.records[x.records.size() - 2], last); !where.empty())
    return "two calls are not the same: " + where;
  last.arch = arch;
  return write_all(descriptor, wire::pack(last)) ? "" : "the record can't be written";
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int InitializeInjection() { return driver_watch::here().start(), 1; }

int kernelmesh_recorder_watches() { return driver_watch::here().is_watching(); }

/// For torch's CUDAPluggableAllocator: each tensor has memory of its own, so that every address has its owner.
void* kernelmesh_recorder_allocate(std::int64_t bytes, int, void*) {
  return driver_watch::here().allocate(static_cast<std::size_t>(bytes));
}
void kernelmesh_recorder_free(void* at, std::int64_t, int, void*) { driver_watch::here().free_later(at); }

void kernelmesh_recorder_lend(std::uint32_t index, std::uint64_t at, std::uint64_t bytes) {
  driver_watch::here().with([&](recording& x) { x.lend(index, {at, bytes}); });
}

void kernelmesh_recorder_begin() {
  driver_watch::here().give_back();
  recorded().outputs.clear();
  driver_watch::here().with([](recording& x) { x.begin(); });
  driver_watch::here().record(true);
}

void kernelmesh_recorder_output(std::uint64_t at, std::uint64_t bytes) { recorded().outputs.push_back({at, bytes}); }

void kernelmesh_recorder_end() {
  driver_watch::here().record(false);
  auto record = driver_watch::here().with([](recording& x) { return x.finish(recorded().outputs, ""); });
  if (record)
    recorded().records.push_back(*std::move(record));
  else
    recorded().failure = record.error();
}

/// 0, or -1 with why there is no record in `said`, which has `room` bytes.
int kernelmesh_recorder_write(int descriptor, const char* arch, char* said, std::size_t room) {
  auto failure = write_record(descriptor, arch);
  if (room > 0) std::strncpy(said, failure.c_str(), room - 1), said[room - 1] = 0;
  return failure.empty() ? 0 : -1;
}
}
#pragma GCC visibility pop
