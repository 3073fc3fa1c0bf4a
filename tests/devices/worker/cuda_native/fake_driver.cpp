// A CUDA driver for tests where there is none: device memory is the process's own, the kernels of
// tests/data/cubins/kernels.cu are functions here and run at once. A handle is the path of a file to map.
// FAKE_DRIVER_PARAMETERS=N: it says that kernels have N parameters.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using address = unsigned long long;

enum result { done = 0, bad_value = 1, out_of_memory = 2, bad_image = 200, not_found = 500, illegal_address = 700 };

template <class T>
T argument(void** parameters, int i) {
  T x;
  std::memcpy(&x, parameters[i], sizeof(T));
  return x;
}

int calls = 5;

result saxpy(void** p) {
  auto out = argument<float*>(p, 0);
  auto x = argument<const float*>(p, 1), y = argument<const float*>(p, 2);
  for (int i = 0; i < argument<int>(p, 4); ++i) out[i] = argument<float>(p, 3) * x[i] + y[i];
  return done;
}

result count(void** p) { return argument<int*>(p, 0)[0] = ++calls, done; }

result remember(void** p) {
  auto scratch = argument<int*>(p, 1);
  argument<int*>(p, 0)[0] = scratch[0];
  scratch[0] = 42;
  return done;
}

result fault(void**) { return illegal_address; }

struct kernel {
  result (*run)(void**);
  std::vector<std::size_t> sizes;
};

std::map<std::string, kernel>& kernels() {
  static std::map<std::string, kernel> all{{"saxpy", {saxpy, {8, 8, 8, 4, 4}}},
                                           {"count", {count, {8}}},
                                           {"remember", {remember, {8, 8}}},
                                           {"fault", {fault, {8}}}};
  return all;
}

std::map<address, std::size_t> blocks;
result broken = done;  ///< what a kernel did, for whoever waits

struct event {
  std::chrono::steady_clock::time_point when;
};

}  // namespace

extern "C" {

int cuInit(unsigned) { return done; }
int cuGetErrorName(int x, const char** to) {
  *to = x == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
        : x == not_found     ? "CUDA_ERROR_NOT_FOUND"
                             : "CUDA_ERROR_OTHER";
  return done;
}
int cuGetErrorString(int x, const char** to) {
  *to = x == illegal_address ? "an illegal memory access was encountered" : "something else";
  return done;
}
int cuDeviceGet(int* to, int ordinal) { return *to = ordinal, ordinal == 0 ? done : 101; }
int cuDeviceGetAttribute(int* to, int which, int) {
  static const std::map<int, int> known{{1, 1024},  {2, 1024},  {3, 1024},     {4, 64},      {5, 2147483647},
                                        {6, 65535}, {7, 65535}, {38, 1 << 16}, {97, 232448}, {120, 1}};
  return *to = known.at(which), done;
}
int cuDevicePrimaryCtxRetain(void** to, int) { return *to = &blocks, done; }
int cuCtxSetCurrent(void*) { return done; }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return *free = *total = 1u << 30, done; }
int cuMemAlloc_v2(address* to, std::size_t bytes) {
  if (bytes > 1u << 28) return out_of_memory;
  *to = reinterpret_cast<address>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  blocks[*to] = bytes;
  return done;
}
int cuMemGetAddressRange_v2(address* base, std::size_t* bytes, address x) {
  return *base = x, *bytes = blocks.at(x), done;
}
int cuMemsetD8Async(address to, unsigned char value, std::size_t bytes, void*) {
  return std::memset(reinterpret_cast<void*>(to), value, bytes), done;
}
int cuMemcpyDtoDAsync_v2(address to, address from, std::size_t bytes, void*) {
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), done;
}

struct handle {
  char path[64];
};
int cuIpcOpenMemHandle_v2(address* to, handle x, unsigned) {
  auto file = open(x.path, O_RDWR);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0) return bad_value;
  auto size = static_cast<std::size_t>(about.st_size);
  *to = reinterpret_cast<address>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  blocks[*to] = size;
  return done;
}

int cuModuleLoadData(void** to, const void* image) {
  *to = &calls;
  return std::memcmp(image,
                     "\x7f"
                     "ELF",
                     4)
                 == 0
             ? done
             : bad_image;
}
int cuModuleGetFunction(void** to, void*, const char* name) {
  auto found = kernels().find(name);
  return found == kernels().end() ? not_found : (*to = &found->second, done);
}
int cuModuleGetGlobal_v2(address* to, std::size_t* bytes, void*, const char* name) {
  static char texts[23];
  static int offsets[4] = {10, 20, 30, 40};
  static const std::map<std::string, std::pair<void*, std::size_t>> known{
      {"calls", {&calls, sizeof(calls)}}, {"offsets", {offsets, sizeof(offsets)}}, {"$str", {texts, sizeof(texts)}}};
  auto found = known.find(name);
  if (found == known.end()) return not_found;
  return *to = reinterpret_cast<address>(found->second.first), *bytes = found->second.second, done;
}
int cuFuncGetParamInfo(void* function, std::size_t i, std::size_t* offset, std::size_t* bytes) {
  const auto& sizes = static_cast<kernel*>(function)->sizes;
  auto told = std::getenv("FAKE_DRIVER_PARAMETERS");
  if (i >= (told ? std::stoul(told) : sizes.size())) return bad_value;
  return *offset = 8 * i, *bytes = sizes[i], done;
}
int cuFuncSetAttribute(void*, int, int) { return done; }
int cuLaunchKernelEx(const void*, void* function, void** parameters, void**) {
  if (auto x = static_cast<kernel*>(function)->run(parameters)) broken = x;
  return done;
}
int cuStreamCreate(void** to, unsigned) { return *to = &blocks, done; }
int cuStreamSynchronize(void*) { return broken; }
int cuEventCreate(void** to, unsigned) { return *to = new event, done; }
int cuEventRecord(void* x, void*) { return static_cast<event*>(x)->when = std::chrono::steady_clock::now(), done; }
int cuEventElapsedTime(float* to, void* begin, void* end) {
  auto between = static_cast<event*>(end)->when - static_cast<event*>(begin)->when;
  return *to = std::chrono::duration<float, std::milli>(between).count(), done;
}
}
