#ifndef KERNELMESH_MESSAGES_RECORDS_TASK_HPP
#define KERNELMESH_MESSAGES_RECORDS_TASK_HPP
// A reference to be beaten: a Python file in KernelBench form, as it lies in the blob store.

#include <cstdint>
#include <map>
#include <string>

#include "messages/records/ids.hpp"
#include "messages/records/tensor.hpp"

namespace messages {

/// One blob of the store holds this record; its hash is the task's identity.
struct task {
  std::uint32_t version = 1;
  std::string name;                               ///< file name without ".py"; for people and for file names
  std::string code;                               ///< `Model`, `get_inputs`, `get_init_inputs`
  messages::dtype dtype = dtype::float32;         ///< floating inputs and weights are cast to it, unless own_dtype
  bool own_dtype = false;                         ///< nothing is cast: inputs and weights keep their dtypes
  std::map<std::string, std::int64_t> overrides;  ///< module globals set before get_inputs runs, to shrink a task
  std::uint64_t shrink_to_bytes = 0;  ///< 0: as it is; else a trace finds overrides: inputs and outputs at most this

  void fields(auto& f) {
    f("version", version);
    f("name", name);
    f("code", code);
    f("dtype", dtype);
    f("own_dtype", own_dtype);
    f("overrides", overrides);
    f("shrink_to_bytes", shrink_to_bytes);
  }
  friend bool operator==(const task&, const task&) = default;
};

}  // namespace messages

#endif
