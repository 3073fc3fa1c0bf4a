#ifndef KERNELMESH_MESSAGES_RECORDS_IDS_HPP
#define KERNELMESH_MESSAGES_RECORDS_IDS_HPP
// Identities that cannot be mistaken for each other, or for a plain number or text.

#include <compare>
#include <cstdint>
#include <string>

namespace messages {

template <class Tag, class Rep>
struct strong_id {
  using representation = Rep;
  Rep value{};
  friend auto operator<=>(const strong_id&, const strong_id&) = default;
};

using run_id = strong_id<struct run_tag, std::string>;  ///< "20261128-061502-9f3a"; also a folder's name
using job_id = strong_id<struct job_tag, std::string>;  ///< within its run, "relu.cpu_0.cpp.refine.1"
using stage_id =
    strong_id<struct stage_tag, std::string>;  ///< of one cluster, "RUN/JOB/CANDIDATE/verify": same work, same id
using question_id =
    strong_id<struct question_tag, std::string>;  ///< within its job; says what is asked, so it is stable
using candidate_id = strong_id<struct candidate_tag, std::string>;  ///< content hash of the manifest's identity
using blob_hash = strong_id<struct blob_tag, std::string>;  ///< of bytes in the blob store, 32 hex digits; "" is none
using node_name = strong_id<struct node_tag, std::string>;  ///< as the node's config says
using device_name = strong_id<struct device_tag, std::string>;      ///< "cpu:0", "cuda:1", "simulated:0"
using resource_name = strong_id<struct resource_tag, std::string>;  ///< a compiler or a device_runner, "NODE/cpu:0"
using actor_name = strong_id<struct actor_tag, std::string>;        ///< under which an actor is offered to other nodes
using connection_id = strong_id<struct connection_tag, std::string>;  ///< of one connection of a link, made up by it
using request_id = strong_id<struct request_tag, std::uint64_t>;      ///< of a call, within its connection

}  // namespace messages

#endif
