#pragma once
// The interfaces of CUPTI and of the CUDA driver that are watched, declared by hand: this builds where no toolkit is.
// Names, layouts and numbers are those of NVIDIA's cupti.h, cupti_driver_cbid.h, generated_cuda_meta.h and cuda.h;
// nvidia_headers.cpp of its tests holds them against these headers where they are.

#include <cstddef>
#include <cstdint>

#define CUPTIAPI

namespace devices::worker::recorder {

// -- the driver -------------------------------------------------------------------------------------------------------

using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUlibrary = struct CUlib_st*;
using CUfunction = struct CUfunc_st*;
using CUkernel = struct CUkern_st*;
using CUstream = struct CUstream_st*;
using CUmemoryPool = struct CUmemPool_st*;
using CUhostFn = void (*)(void*);
enum CUresult : int { CUDA_SUCCESS = 0 };
enum CUlaunchAttributeID : int {
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
};

union CUlaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
};

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};

// -- CUPTI ------------------------------------------------------------------------------------------------------------

enum CUptiResult : int { CUPTI_SUCCESS = 0 };
enum CUpti_CallbackDomain : int { CUPTI_CB_DOMAIN_DRIVER_API = 1, CUPTI_CB_DOMAIN_RESOURCE = 3 };
enum CUpti_ApiCallbackSite : int { CUPTI_API_ENTER = 0, CUPTI_API_EXIT = 1 };
using CUpti_CallbackId = std::uint32_t;
using CUpti_SubscriberHandle = struct CUpti_Subscriber_st*;
using CUpti_CallbackFunc = void (*)(void* given, CUpti_CallbackDomain, CUpti_CallbackId, const void* told);
constexpr CUpti_CallbackId CUPTI_CBID_RESOURCE_MODULE_LOADED = 6;

struct CUpti_CallbackData {
  CUpti_ApiCallbackSite callbackSite;
  const char* functionName;
  const void* functionParams;
  void* functionReturnValue;
  const char* symbolName;
  CUcontext context;
  std::uint32_t contextUid;
  std::uint64_t* correlationData;
  std::uint32_t correlationId;
};

struct CUpti_ResourceData {
  CUcontext context;
  CUstream stream;
  void* resourceDescriptor;
};

struct CUpti_ModuleResourceData {
  std::uint32_t moduleId;
  std::size_t cubinSize;
  const char* pCubin;
};

using cupti_subscribe = CUptiResult(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*);
using cupti_enable_domain = CUptiResult(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain);
using cupti_enable_callback = CUptiResult(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                          CUpti_CallbackId);
using driver_allocate = CUresult(CUdeviceptr*, std::size_t);
using driver_free = CUresult(CUdeviceptr);

}  // namespace devices::worker::recorder

#include "devices/worker/cuda_recorder/cupti/nvidia_calls.hpp"
