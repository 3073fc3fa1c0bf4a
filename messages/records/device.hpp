#ifndef KERNELMESH_MESSAGES_RECORDS_DEVICE_HPP
#define KERNELMESH_MESSAGES_RECORDS_DEVICE_HPP
// What a device is.

#include <cstdint>
#include <map>
#include <string>

#include "messages/records/figures.hpp"
#include "messages/records/ids.hpp"

namespace messages {

/// As probed at start. Limits by name, so that a new kind of device needs no new field: plans are checked against them.
struct device_info {
  device_name name;
  std::string kind;   ///< folder of devices/: "cpu", "cuda", "simulated"
  std::string model;  ///< "AMD EPYC 9B14, 2 cores"
  std::string arch;   ///< what compilers are asked for, "x86-64-v3"
  std::uint64_t memory_bytes = 0;
  double copy_bytes_per_second = 0;      ///< read plus write, measured; 0: not measured
  std::map<std::string, double> limits;  ///< "cores", "vector_bytes", "shared_memory_bytes_a_block", ...
  messages::environment environment;

  void fields(auto& f) {
    f("name", name);
    f("kind", kind);
    f("model", model);
    f("arch", arch);
    f("memory_bytes", memory_bytes);
    f("copy_bytes_per_second", copy_bytes_per_second);
    f("limits", limits);
    f("environment", environment);
  }
  friend bool operator==(const device_info&, const device_info&) = default;
};

}  // namespace messages

#endif
