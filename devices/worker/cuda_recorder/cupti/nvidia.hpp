#pragma once
// The one include of NVIDIA's headers. A callback's parameters are those of the call that it is about.

#include <cuda.h>
#include <cupti.h>

#define KERNELMESH_CALL(name) CUPTI_DRIVER_TRACE_CBID_##name
#define KERNELMESH_PARAMETERS(name) const auto& a = *static_cast<const name##_params*>(call.functionParams)
