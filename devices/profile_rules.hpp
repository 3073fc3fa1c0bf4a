#pragma once
// What a profile's figures mean: which of a device's means a candidate has used up. Pure; a row a rule in its test.

#include <map>
#include <string>

#include "messages/records/figures.hpp"
#include "messages/records/verdict.hpp"

namespace devices {

/// What a call needs at least, and what the device was measured to do. 0: not known.
struct roofline {
  double floor_bytes = 0;
  double flops = 0;
  double copy_bytes_per_second = 0;
  double fma_flops_per_second = 0;
};

/// Metrics of a kernel on a GPU, means over its launches; percentages are of what the device can sustain:
///   time_ns, dram_bytes
///   memory_pct, dram_pct, l2_pct, l1_pct               throughput: of the busiest part of the memory, and part by part
///   l2_hit_pct, l1_hit_pct
///   sm_pct, issue_pct                                  throughput of the busiest unit of an SM; of instructions
///   pipe_X_pct                                         fma, alu, xu, fp64, lsu, tensor
///   occupancy_pct, occupancy_limit_pct                 warps that were there, that could be
///   limit_X_blocks                                     blocks an SM has room for: registers, shared, warps, blocks
///   registers, shared_bytes, threads, blocks, waves    of a launch
///   load_sectors, store_sectors                        32-byte sectors a request of global memory
///   bank_conflicts, spill_sectors                      of shared memory; read and written for local variables
///   stall_X                                            warps that wait for it whenever one issues
/// On a CPU, all calls together: instructions, cycles, branches, branch_misses, cache_references, cache_misses.
/// Of a function of a library, in its innermost loops that compute if it has any: instructions, and of these vector,
/// scalar_float, fma, loads, stores, branches, divisions, gathers.
///
/// Rules for a kernel on a GPU; the first that holds:
///   memory       dram_pct is 60 or more, and no less than sm_pct
///   cache        l2_pct or l1_pct is, and no less than sm_pct
///   compute      sm_pct is; the busiest pipe is named
///   parallelism  fewer than 1 wave of blocks, or so few waves that a quarter of the time is the last, partial one
///   latency      else; what its warps wait for most is named
/// The whole is what the kernel with the largest share of the time is, but
///   overhead     if all kernels together take less than half of a call
///
/// Rules for a call on a CPU, and on a GPU without counters:
///   overhead     it takes less than 10 us
///   memory       moving what it must takes half of its time or more, and no less than computing what it must; `cache`
///                if its inputs, weights and outputs fit in the device's largest cache
///   compute      computing what it must does
///   memory       counted: lines that missed the last cache, at the device's bandwidth, take half of its time
///   compute      counted: 2 or more instructions a cycle
///   latency      counted: fewer than 1
///   compute      by its instructions: most that compute are not vectors; or one in 20 divides or takes a root
///   cache        by its instructions: more loads and stores than others that compute
///   compute      by its instructions, else
///   unknown      without any
messages::profiled conclude(const messages::profile_figures& figures, const roofline& limits);

}  // namespace devices
