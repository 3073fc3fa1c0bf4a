#include "messages/records/content_hash.hpp"

#include <doctest/doctest.h>

#include "messages/records/candidate.hpp"

namespace content_hash_test {

namespace {

messages::candidate_manifest manifest() {
  messages::candidate_manifest x{.dsl = "cpp",
                                 .sources = {{"kernel.cpp", {"00112233445566778899aabbccddeeff"}}},
                                 .outputs = {{.shape = {2, 3}, .strides = {3, 1}}},
                                 .knobs = {{"g0.block", 256}, {"g0.order", "rows"}}};
  x.arguments.push_back({.spec = x.outputs.front()});
  return x;
}

}  // namespace

TEST_CASE("the content hash is XXH3 with 128 bits, as its authors publish it") {
  CHECK(messages::content_hash(std::string_view{}) == "99aa06d3014798d86001c324468d497f");
  CHECK(messages::content_hash("abc") == "06b05ab6733a618578af5f94892f3950");
}

TEST_CASE("the hash of a record does not change by accident") {
  // It names what lies in blob stores and journals. A new field of the manifest changes it on purpose.
  CHECK(identify(manifest()).value == "dd19c75c7a09dcb4c8ff4aad4cbf2515");
}

TEST_CASE("parents, origin and plan do not make another candidate") {
  auto x = manifest();
  x.plan = {"ffeeddccbbaa99887766554433221100"};
  x.parents = {{"p"}};
  x.origin = messages::candidate_origin::tuner;
  CHECK(identify(x) == identify(manifest()));
  CHECK(messages::content_hash(x) != messages::content_hash(manifest()));
}

TEST_CASE("whatever the program is made of makes another candidate") {
  auto changed = [](auto change) {
    auto x = manifest();
    change(x);
    return identify(x) != identify(manifest());
  };
  CHECK(changed([](auto& x) { x.dsl = "cuda_c"; }));
  CHECK(changed([](auto& x) { x.entry = messages::python_host_entry{}; }));
  CHECK(changed([](auto& x) { x.entry = messages::c_abi_entry{.function = "other"}; }));
  CHECK(changed([](auto& x) { x.sources[0].blob.value[0] = '1'; }));
  CHECK(changed([](auto& x) { x.sources[0].path = "other.cpp"; }));
  CHECK(changed([](auto& x) { x.arguments[0].index = 1; }));
  CHECK(changed([](auto& x) { x.outputs[0].shape[0] = 4; }));
  CHECK(changed([](auto& x) { x.knobs["g0.block"] = 512; }));
  CHECK(changed([](auto& x) { x.knobs["g0.block"] = "256"; }));
}

}  // namespace content_hash_test
