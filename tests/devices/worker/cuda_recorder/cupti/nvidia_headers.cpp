// What is declared by hand of NVIDIA's interfaces is what their own headers say. Nothing of it runs.

#include <cuda.h>
#include <cupti.h>

#include "devices/worker/cuda_recorder/cupti/nvidia.hpp"

namespace ours = devices::worker::recorder;

#define SAME_ID(name, number) static_assert(CUPTI_DRIVER_TRACE_CBID_##name == number);
#define SAME_SIZE(name, number) static_assert(sizeof(::name##_params) == sizeof(ours::name##_params));
KERNELMESH_EACH_CALL(SAME_ID)
KERNELMESH_EACH_CALL(SAME_SIZE)
KERNELMESH_EACH_CALL_OF_THREADS(SAME_ID)

#define SAME_FIELD(type, field)                                        \
  static_assert(offsetof(::type, field) == offsetof(ours::type, field) \
                && sizeof(::type::field) == sizeof(ours::type::field))
SAME_FIELD(cuLaunchKernel_params, kernelParams);
SAME_FIELD(cuLaunchKernel_params, sharedMemBytes);
SAME_FIELD(cuLaunchKernelEx_params, kernelParams);
SAME_FIELD(cuLaunchKernelEx_params, f);
SAME_FIELD(cuLibraryEnumerateKernels_params, lib);
SAME_FIELD(cuModuleGetFunction_params, hmod);
SAME_FIELD(cuMemcpyDtoHAsync_v2_params, srcDevice);
SAME_FIELD(cuMemcpyHtoDAsync_v2_params, ByteCount);
SAME_FIELD(cuMemcpyAsync_params, src);
SAME_FIELD(cuMemsetD8Async_params, N);
SAME_FIELD(cuMemsetD32Async_params, ui);
SAME_FIELD(CUpti_CallbackData, functionParams);
SAME_FIELD(CUpti_CallbackData, functionReturnValue);
SAME_FIELD(CUpti_CallbackData, symbolName);
SAME_FIELD(CUpti_ResourceData, resourceDescriptor);
SAME_FIELD(CUpti_ModuleResourceData, cubinSize);
SAME_FIELD(CUpti_ModuleResourceData, pCubin);
SAME_FIELD(CUlaunchConfig, sharedMemBytes);
SAME_FIELD(CUlaunchConfig, attrs);
SAME_FIELD(CUlaunchConfig, numAttrs);
SAME_FIELD(CUlaunchAttribute, value);
static_assert(sizeof(::CUpti_CallbackData) == sizeof(ours::CUpti_CallbackData));
static_assert(sizeof(::CUlaunchAttribute) == sizeof(ours::CUlaunchAttribute));
static_assert(sizeof(::CUlaunchConfig) == sizeof(ours::CUlaunchConfig));
static_assert(offsetof(::CUlaunchAttributeValue, clusterDim) == 0
              && offsetof(::CUlaunchAttributeValue, cooperative) == 0);

static_assert(::CU_LAUNCH_ATTRIBUTE_COOPERATIVE == int{ours::CU_LAUNCH_ATTRIBUTE_COOPERATIVE});
static_assert(::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == int{ours::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION});
static_assert(::CUPTI_CB_DOMAIN_DRIVER_API == int{ours::CUPTI_CB_DOMAIN_DRIVER_API});
static_assert(::CUPTI_CB_DOMAIN_RESOURCE == int{ours::CUPTI_CB_DOMAIN_RESOURCE});
static_assert(::CUPTI_API_ENTER == int{ours::CUPTI_API_ENTER} && ::CUPTI_API_EXIT == int{ours::CUPTI_API_EXIT});
static_assert(::CUPTI_CBID_RESOURCE_MODULE_LOADED == ours::CUPTI_CBID_RESOURCE_MODULE_LOADED);
static_assert(::CUPTI_SUCCESS == int{ours::CUPTI_SUCCESS} && ::CUDA_SUCCESS == int{ours::CUDA_SUCCESS});
