#include "devices/worker/cuda_recorder/cupti/driver_calls.hpp"

#include <doctest/doctest.h>

#include "tests/devices/worker/cuda_native/samples.hpp"

namespace driver_calls_test {

using namespace devices::worker::recorder;

namespace {

constexpr CUdeviceptr in = 0x7f00'0000'0000, out = 0x7f00'0010'0000;
constexpr std::size_t bytes = 4000;

/// What CUPTI would tell of a program's calls.
struct program {
  recording to;
  driver_calls calls{to};
  wire::bytes image = tests::kernels_cubin();
  int things[4] = {};
  CUmodule module = reinterpret_cast<CUmodule>(&things[0]);
  CUlibrary library = reinterpret_cast<CUlibrary>(&things[1]);
  CUfunction function = reinterpret_cast<CUfunction>(&things[2]);

  template <class Parameters>
  void call(CUpti_CallbackId id, const char* name, const Parameters& given, const char* symbol = nullptr,
            bool announces_image = false) {
    CUresult done = CUDA_SUCCESS;
    CUpti_CallbackData told{};
    told.functionName = name, told.functionParams = &given, told.functionReturnValue = &done, told.symbolName = symbol;
    calls.begun(id, told);
    if (announces_image) calls.image_loaded(image.data(), image.size());
    calls.done(id, told, true);
  }

  void allocate(CUdeviceptr at) {
    call(KERNELMESH_CALL(cuMemAlloc_v2), "cuMemAlloc_v2", cuMemAlloc_v2_params{&at, bytes});
  }
  void find() {
    call(KERNELMESH_CALL(cuModuleGetFunction), "cuModuleGetFunction",
         cuModuleGetFunction_params{&function, module, "saxpy"});
  }
  void begin() {
    to.begin();
    to.lend(0, {in, bytes});
  }
  void launch() {
    CUdeviceptr x = in, y = out;
    float a = 2;
    int n = 1000;
    void* parameters[]{&y, &x, &x, &a, &n};
    call(KERNELMESH_CALL(cuLaunchKernel), "cuLaunchKernel",
         cuLaunchKernel_params{function, 4, 1, 1, 256, 1, 1, 64, nullptr, parameters, nullptr}, "saxpy");
  }
  std::string finish() {
    memory_range output{out, bytes};
    auto x = to.finish({&output, 1}, "sm_90a");
    return x ? tests::refusal_of(*x) : x.error();
  }
};

}  // namespace

TEST_CASE_FIXTURE(program, "a kernel of a module is recorded with its image, launch and memory") {
  call(KERNELMESH_CALL(cuModuleLoadData), "cuModuleLoadData", cuModuleLoadData_params{&module, image.data()}, nullptr,
       true);
  find();
  allocate(in), allocate(out);
  begin();
  launch();
  memory_range output{out, bytes};
  auto x = to.finish({&output, 1}, "sm_90a");
  REQUIRE(x.has_value());
  auto& one = std::get<messages::kernel_launch>(x->operations.at(0));
  CHECK(one.kernel == "saxpy");
  CHECK(one.grid == messages::launch_extent{4, 1, 1});
  CHECK(one.block == messages::launch_extent{256, 1, 1});
  CHECK(one.shared_bytes == 64);
  CHECK(x->images.at(0).content == image);
  CHECK(tests::refusal_of(*x) == "");
}

TEST_CASE_FIXTURE(program, "a library that announces no image is known by what was given to be loaded") {
  cuLibraryLoadData_params given{};
  given.library = &library, given.code = image.data();
  call(KERNELMESH_CALL(cuLibraryLoadData), "cuLibraryLoadData", given);
  auto kernel = reinterpret_cast<CUkernel>(function);
  call(KERNELMESH_CALL(cuLibraryGetKernel), "cuLibraryGetKernel", cuLibraryGetKernel_params{&kernel, library, "saxpy"});
  allocate(in), allocate(out);
  begin();
  launch();
  CHECK(finish() == "");
}

TEST_CASE_FIXTURE(program, "a kernel of no known image is refused") {
  allocate(in), allocate(out);
  begin();
  launch();
  CHECK(finish() == "no image is known that has kernel saxpy");
}

TEST_CASE_FIXTURE(program, "fills and copies are recorded, patterns of several bytes and unknown calls are refused") {
  allocate(in), allocate(out);
  auto fill = [&](unsigned value) {
    call(KERNELMESH_CALL(cuMemsetD32Async), "cuMemsetD32Async",
         cuMemsetD32Async_params{out, value, bytes / 4, nullptr});
  };
  begin();
  fill(0x01010101);
  call(KERNELMESH_CALL(cuMemcpyDtoDAsync_v2), "cuMemcpyDtoDAsync_v2",
       cuMemcpyDtoDAsync_v2_params{out, in, bytes, nullptr});
  CHECK(finish() == "");
  fill(1);
  CHECK(finish() == "it fills memory with a pattern of several bytes");
  begin();
  call(KERNELMESH_CALL(cuMemsetD2D8_v2), "cuMemsetD2D8_v2", cuMemsetD2D8_v2_params{});
  CHECK(finish() == "it uses cuMemsetD2D8_v2");
  begin();
  call(KERNELMESH_CALL(cuLaunchHostFunc), "cuLaunchHostFunc", cuLaunchHostFunc_params{});
  CHECK(finish() == "it calls the host from a stream");
}

TEST_CASE_FIXTURE(program, "what the host gives to memory that is not known, as variables of modules, is refused") {
  begin();
  call(KERNELMESH_CALL(cuMemcpyHtoDAsync_v2), "cuMemcpyHtoDAsync_v2",
       cuMemcpyHtoDAsync_v2_params{out, &in, 8, nullptr});
  CHECK(finish() == "its host's side writes 8 bytes to the device's memory");
  begin();
  CUdeviceptr read = 0;
  call(KERNELMESH_CALL(cuMemcpyDtoH_v2), "cuMemcpyDtoH_v2", cuMemcpyDtoH_v2_params{&read, out, 8});
  CHECK(finish() == "its host's side reads 8 bytes of the device's memory");
}

TEST_CASE_FIXTURE(program, "memory that was given back is nobody's") {
  allocate(out);
  call(KERNELMESH_CALL(cuMemFree_v2), "cuMemFree_v2", cuMemFree_v2_params{out});
  begin();
  call(KERNELMESH_CALL(cuMemcpyDtoDAsync_v2), "cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync_v2_params{out, in, 8, nullptr});
  CHECK(finish() == "its host's side reads 8 bytes of the device's memory");
}

}  // namespace driver_calls_test
