#pragma once
// The calls of the driver that are known: numbers by which CUPTI names them, and their parameters. Part of nvidia.hpp.

#define KERNELMESH_CALL(name) ::devices::worker::recorder::id_of_##name
#define KERNELMESH_PARAMETERS(name) const auto& a = *static_cast<const name##_params*>(call.functionParams)

// clang-format off

/// Calls `f(name, number)` for each.
#define KERNELMESH_EACH_CALL(f) \
  f(cuModuleLoad, 18) f(cuModuleLoadData, 19) f(cuModuleLoadDataEx, 20) f(cuModuleLoadFatBinary, 21) \
  f(cuModuleGetFunction, 23) f(cuLibraryLoadData, 678) f(cuLibraryLoadFromFile, 679) f(cuLibraryGetKernel, 681) \
  f(cuLibraryGetModule, 682) f(cuKernelGetFunction, 683) f(cuLibraryEnumerateKernels, 740) f(cuMemAlloc_v2, 243) \
  f(cuMemAllocAsync, 598) f(cuMemAllocFromPoolAsync, 611) f(cuMemFree_v2, 245) f(cuMemFreeAsync, 600) \
  f(cuLaunchKernel, 307) f(cuLaunchKernelEx, 652) f(cuLaunchCooperativeKernel, 477) f(cuLaunchHostFunc, 527) \
  f(cuMemcpy, 305) f(cuMemcpyAsync, 306) f(cuMemcpyHtoD_v2, 276) f(cuMemcpyHtoDAsync_v2, 277) \
  f(cuMemcpyDtoH_v2, 278) f(cuMemcpyDtoHAsync_v2, 279) f(cuMemcpyDtoD_v2, 280) f(cuMemcpyDtoDAsync_v2, 281) \
  f(cuMemsetD8_v2, 249) f(cuMemsetD32_v2, 251) f(cuMemsetD2D8_v2, 252) f(cuMemsetD8Async, 216) \
  f(cuMemsetD16Async, 218) f(cuMemsetD32Async, 220)

/// The same on the thread's own default stream: their parameters are those of the calls above.
#define KERNELMESH_EACH_CALL_OF_THREADS(f) \
  f(cuLaunchKernel_ptsz, 442) f(cuLaunchKernelEx_ptsz, 653) f(cuLaunchCooperativeKernel_ptsz, 478) \
  f(cuMemcpyAsync_ptsz, 418) f(cuMemcpyHtoDAsync_v2_ptsz, 421) f(cuMemcpyDtoHAsync_v2_ptsz, 422) \
  f(cuMemcpyDtoDAsync_v2_ptsz, 423) f(cuMemsetD8Async_ptsz, 428) f(cuMemsetD16Async_ptsz, 429) \
  f(cuMemsetD32Async_ptsz, 430)

namespace devices::worker::recorder {

enum : CUpti_CallbackId {
#define KERNELMESH_ID(name, number) id_of_##name = number,
  KERNELMESH_EACH_CALL(KERNELMESH_ID) KERNELMESH_EACH_CALL_OF_THREADS(KERNELMESH_ID)
#undef KERNELMESH_ID
};

struct cuModuleLoad_params { CUmodule* module; const char* fname; };
struct cuModuleLoadData_params { CUmodule* module; const void* image; };
struct cuModuleLoadDataEx_params { CUmodule* module; const void* image; unsigned numOptions; void* options; void** optionValues; };
struct cuModuleLoadFatBinary_params { CUmodule* module; const void* fatCubin; };
struct cuModuleGetFunction_params { CUfunction* hfunc; CUmodule hmod; const char* name; };
struct cuLibraryLoadData_params {
  CUlibrary* library; const void* code; void* jitOptions; void** jitOptionsValues; unsigned numJitOptions;
  void* libraryOptions; void** libraryOptionValues; unsigned numLibraryOptions;
};
struct cuLibraryLoadFromFile_params {
  CUlibrary* library; const char* fileName; void* jitOptions; void** jitOptionsValues; unsigned numJitOptions;
  void* libraryOptions; void** libraryOptionValues; unsigned numLibraryOptions;
};
struct cuLibraryGetKernel_params { CUkernel* pKernel; CUlibrary library; const char* name; };
struct cuLibraryGetModule_params { CUmodule* pMod; CUlibrary library; };
struct cuKernelGetFunction_params { CUfunction* pFunc; CUkernel kernel; };
struct cuLibraryEnumerateKernels_params { CUkernel* kernels; unsigned numKernels; CUlibrary lib; };
struct cuMemAlloc_v2_params { CUdeviceptr* dptr; std::size_t bytesize; };
struct cuMemAllocAsync_params { CUdeviceptr* dptr; std::size_t bytesize; CUstream hStream; };
struct cuMemAllocFromPoolAsync_params { CUdeviceptr* dptr; std::size_t bytesize; CUmemoryPool pool; CUstream hStream; };
struct cuMemFree_v2_params { CUdeviceptr dptr; };
struct cuMemFreeAsync_params { CUdeviceptr dptr; CUstream hStream; };
struct cuLaunchKernel_params {
  CUfunction f; unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream; void** kernelParams; void** extra;
};
struct cuLaunchKernelEx_params { const CUlaunchConfig* config; CUfunction f; void** kernelParams; void** extra; };
struct cuLaunchCooperativeKernel_params {
  CUfunction f; unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream; void** kernelParams;
};
struct cuLaunchHostFunc_params { CUstream hStream; CUhostFn fn; void* userData; };
struct cuMemcpy_params { CUdeviceptr dst, src; std::size_t ByteCount; };
struct cuMemcpyAsync_params { CUdeviceptr dst, src; std::size_t ByteCount; CUstream hStream; };
struct cuMemcpyHtoD_v2_params { CUdeviceptr dstDevice; const void* srcHost; std::size_t ByteCount; };
struct cuMemcpyHtoDAsync_v2_params { CUdeviceptr dstDevice; const void* srcHost; std::size_t ByteCount; CUstream hStream; };
struct cuMemcpyDtoH_v2_params { void* dstHost; CUdeviceptr srcDevice; std::size_t ByteCount; };
struct cuMemcpyDtoHAsync_v2_params { void* dstHost; CUdeviceptr srcDevice; std::size_t ByteCount; CUstream hStream; };
struct cuMemcpyDtoD_v2_params { CUdeviceptr dstDevice, srcDevice; std::size_t ByteCount; };
struct cuMemcpyDtoDAsync_v2_params { CUdeviceptr dstDevice, srcDevice; std::size_t ByteCount; CUstream hStream; };
struct cuMemsetD8_v2_params { CUdeviceptr dstDevice; unsigned char uc; std::size_t N; };
struct cuMemsetD32_v2_params { CUdeviceptr dstDevice; unsigned ui; std::size_t N; };
struct cuMemsetD2D8_v2_params { CUdeviceptr dstDevice; std::size_t dstPitch; unsigned char uc; std::size_t Width, Height; };
struct cuMemsetD8Async_params { CUdeviceptr dstDevice; unsigned char uc; std::size_t N; CUstream hStream; };
struct cuMemsetD16Async_params { CUdeviceptr dstDevice; unsigned short us; std::size_t N; CUstream hStream; };
struct cuMemsetD32Async_params { CUdeviceptr dstDevice; unsigned ui; std::size_t N; CUstream hStream; };
// clang-format on

}  // namespace devices::worker::recorder
