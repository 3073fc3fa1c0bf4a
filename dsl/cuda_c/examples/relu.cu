// relu of 2^20 floats, four in a thread's hand. Its launches.json:
// {"version": 1, "arch": "", "images": [{"name": "relu.cu", "content": ""}], "scratch": [], "operations": [
//   {"launch": {"image": 0, "kernel": "relu", "grid": {"x": 1024, "y": 1, "z": 1}, "block": {"x": 256, "y": 1, "z": 1},
//               "cluster": {"x": 1, "y": 1, "z": 1}, "shared_bytes": 0, "cooperative": false, "parameters": [
//     {"value": "AAAAAAAAAAA=", "pointers": [{"at": 0, "place": {"buffer": "argument", "index": 0, "offset": 0}}]},
//     {"value": "AAAAAAAAAAA=", "pointers": [{"at": 0, "place": {"buffer": "output", "index": 0, "offset": 0}}]}]}}]}

// NaN stays NaN, which fmaxf would drop.
__device__ float relu_of(float x) { return x < 0.0f ? 0.0f : x; }

extern "C" __global__ void __launch_bounds__(256) relu(const float4* __restrict__ x, float4* __restrict__ y) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const float4 v = x[i];
  y[i] = make_float4(relu_of(v.x), relu_of(v.y), relu_of(v.z), relu_of(v.w));
}
