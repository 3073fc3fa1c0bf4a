#include "actors/logic/result_cache.hpp"

#include <doctest/doctest.h>

namespace result_cache_test {

using namespace messages;
using actors::logic::result_cache;
using decision = result_cache::decision;

namespace {
const verdict built{compiled{{"artifact"}, 10, "g++", false}};
}

TEST_CASE("equal requests share one run, and later ones are answered") {
  result_cache cache{10};
  CHECK(cache.ask("k", {"a"}) == decision::run);
  CHECK(cache.ask("k", {"b"}) == decision::wait);
  CHECK(cache.finish("k", built) == std::vector<stage_id>{{"a"}, {"b"}});
  CHECK(cache.ask("k", {"c"}) == decision::answer);
  CHECK(*cache.find("k") == built);
}

TEST_CASE("a failure of the machinery is not remembered") {
  result_cache cache{10};
  cache.ask("k", {"a"});
  cache.finish("k", failure{failure_code::worker_lost, ""});
  CHECK(cache.ask("k", {"b"}) == decision::run);
}

TEST_CASE("the verdict unused for longest goes first") {
  result_cache cache{2};
  for (auto key : {"a", "b"}) cache.ask(key, {key}), cache.finish(key, built);
  CHECK(cache.ask("a", {"x"}) == decision::answer);
  cache.ask("c", {"c"}), cache.finish("c", built);
  CHECK(cache.find("b") == nullptr);
  CHECK(cache.find("a") != nullptr);
}

TEST_CASE("a run is given up only when the last who wanted it does") {
  result_cache cache{10};
  cache.ask("k", {"a"}), cache.ask("k", {"b"});
  CHECK_FALSE(cache.withdraw("k", {"a"}));
  CHECK(cache.withdraw("k", {"b"}));
  CHECK_FALSE(cache.withdraw("k", {"b"}));
  CHECK(cache.ask("k", {"c"}) == decision::run);
}

TEST_CASE("a cache of no size keeps nothing") {
  result_cache cache{0};
  cache.ask("k", {"a"}), cache.finish("k", built);
  CHECK(cache.ask("k", {"b"}) == decision::run);
}

TEST_CASE("a build that took too long is tried again, one that does not compile is not") {
  result_cache cache{10};
  auto refused = [](failure_kind kind) {
    return verdict{rejected{{failure_stage::compile, kind, {}, "", {}}, {}, {}}};
  };
  cache.ask("slow", {"a"}), cache.finish("slow", refused(failure_kind::timeout));
  cache.ask("bad", {"a"}), cache.finish("bad", refused(failure_kind::compile_error));
  CHECK(cache.ask("slow", {"b"}) == decision::run);
  CHECK(cache.ask("bad", {"b"}) == decision::answer);
}

}  // namespace result_cache_test
