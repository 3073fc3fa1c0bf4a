#include "actors/logic/blob_references.hpp"

#include <doctest/doctest.h>

namespace blob_references_test {

using namespace messages;
using actors::logic::blobs_of;
using hashes = std::set<blob_hash>;

TEST_CASE("a journal needs the blobs that its facts name, however deep they stand") {
  run_spec spec{.jobs = {{.task = {"t1"}}, {.task = {"t2"}, .imported = {"m"}}}};
  CHECK(blobs_of({.content = run_started{spec}}) == hashes{{"t1"}, {"t2"}, {"m"}});
  candidate_created made{.manifest_blob = {"m"}};
  made.manifest.sources = {{"a.cpp", {"a"}}, {"b.cpp", {"b"}}};
  CHECK(blobs_of({.content = made}) == hashes{{"m"}, {"a"}, {"b"}});
  stage_result built{.outcome = verdict{compiled{.artifact = {"so"}}}};
  CHECK(blobs_of({.content = stage_finished{built}}) == hashes{{"so"}});
  stage_result trace{.outcome = verdict{traced{.graph = {"g"}}}};
  CHECK(blobs_of({.content = stage_finished{trace}}) == hashes{{"g"}});
}

TEST_CASE("a fact without blobs, and a hash of none, need nothing") {
  CHECK(blobs_of({.content = run_finished{}}).empty());
  CHECK(blobs_of({.content = stage_finished{{.outcome = verdict{compiled{}}}}}).empty());
}

}  // namespace blob_references_test
