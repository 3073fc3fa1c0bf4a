/* The C function of a candidate with a c_abi entry: version 1. Valid C11 and C++11; candidates carry a copy of it. */
#ifndef KERNELMESH_ABI_H
#define KERNELMESH_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of messages/records/tensor.hpp. */
enum kernelmesh_dtype {
  kernelmesh_float32 = 0,
  kernelmesh_float16 = 1,
  kernelmesh_bfloat16 = 2,
  kernelmesh_float64 = 3,
  kernelmesh_int64 = 4,
  kernelmesh_int32 = 5,
  kernelmesh_int16 = 6,
  kernelmesh_int8 = 7,
  kernelmesh_uint8 = 8,
  kernelmesh_bool = 9
};

/* A tensor that the caller owns. Strides count elements. */
typedef struct kernelmesh_tensor {
  void* data;
  const int64_t* shape;
  const int64_t* strides;
  int32_t rank;
  int32_t dtype;
} kernelmesh_tensor;

/*
 * Computes all outputs; has finished when it returns. Arguments come in the order of the manifest's `arguments` and are
 * not to be written, but for buffers that the task's forward changes: these are to be changed likewise. Outputs are
 * allocated by the caller, in the order of its `outputs`.
 * threads: how many CPU threads it may use; stream: of the device, NULL on a CPU.
 * Returns 0, or a number that says what it could not do; then the outputs do not count.
 */
int kernelmesh_run(const kernelmesh_tensor* arguments, int32_t argument_count, const kernelmesh_tensor* outputs,
                   int32_t output_count, int32_t threads, void* stream);

#ifdef __cplusplus
}
#endif

#endif
