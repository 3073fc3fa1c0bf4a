#include "actors/blob_depot.hpp"

#include <random>

#include "actors/courier.hpp"
#include "messages/records/content_hash.hpp"
#include "tests/support/deterministic.hpp"
#include "tests/support/scratch_folder.hpp"

namespace blob_travel_test {

using namespace messages;
using namespace std::literals;

namespace {

std::string random_text(std::size_t size) {
  std::mt19937_64 random{size};
  std::string text(size, '\0');
  for (auto& c : text) c = static_cast<char>(random());
  return text;
}

/// A coordinator's store with its depot, a node's with its courier.
struct two_stores : testing::deterministic {
  tests::scratch_folder far_folder, near_folder;
  blobs::blob_store far = *blobs::blob_store::open(far_folder.path()),
                    near = *blobs::blob_store::open(near_folder.path());
  blob_depot_actor depot = actors::spawn_blob_depot(system, far, {.own_thread = false});
  courier_actor courier = actors::spawn_courier(system, near, {.node = {"a"}, .depot = depot, .own_thread = false});

  ~two_stores() {
    self->send_exit(courier, caf::exit_reason::user_shutdown);
    self->send_exit(depot, caf::exit_reason::user_shutdown);
    run();
  }
  template <class Reply, class Actor, class Request>
  expected<Reply> ask(const Actor& whom, Request request) {
    return answer_to<Reply>(self->request(whom, 1min, std::move(request)));
  }
  expected<blob_written> write(const std::string& hash, std::uint64_t size, std::uint64_t offset, std::size_t bytes) {
    return ask<blob_written>(depot, write_blob{{"a"}, {hash}, size, offset, wire::bytes(bytes)});
  }
};

}  // namespace

TEST_CASE_FIXTURE(two_stores, "blobs of any size arrive whole, either way, and more than once does no harm") {
  for (std::size_t size : {0u, 1u, blob_part_bytes, blob_part_bytes + 1, 20 * blob_part_bytes + 7}) {
    CAPTURE(size);
    auto coming = *far.put(random_text(size)), going = *near.put(random_text(size) + "x");
    REQUIRE(ask<blobs_there>(courier, bring_blobs{{coming, coming}}));
    CHECK(*near.get(coming) == random_text(size));
    REQUIRE(ask<blobs_there>(courier, send_blobs{{going}}));
    REQUIRE(ask<blobs_there>(courier, send_blobs{{going}}));
    CHECK(*far.get(going) == random_text(size) + "x");
  }
}

TEST_CASE_FIXTURE(two_stores, "a blob that is nowhere, or damaged, is a failure of all who wait for it") {
  auto damaged = *far.put("contents");
  auto file = *far.path_of(damaged);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  std::filesystem::resize_file(file, 3);
  auto first = self->request(courier, 1min, bring_blobs{{damaged}});
  auto second = self->request(courier, 1min, bring_blobs{{damaged, {std::string(32, '0')}}});
  CHECK(answer_to<blobs_there>(first).error().code == failure_code::unreadable);
  CHECK_FALSE(answer_to<blobs_there>(second));
  CHECK(ask<blobs_there>(courier, bring_blobs{{{"../../etc/passwd"}}}).error().code == failure_code::not_found);
  CHECK(ask<blobs_there>(courier, send_blobs{{{std::string(32, '0')}}}).error().code == failure_code::not_found);
  auto good = *far.put("good");
  CHECK(ask<blobs_there>(courier, bring_blobs{{good}}));
}

TEST_CASE_FIXTURE(two_stores, "what is not what its hash says is not kept") {
  auto hash = content_hash("something else");
  CHECK(write(hash, 10, 0, 10).error().code == failure_code::unreadable);
  CHECK_FALSE(far.has({hash}));
}

TEST_CASE_FIXTURE(two_stores, "parts out of order, of a wrong size or of too large a blob are refused") {
  auto hash = content_hash("x");
  CHECK(write(hash, blob_bytes + 1, 0, blob_part_bytes).error().code == failure_code::bad_input);
  CHECK(write(hash, 3 * blob_part_bytes, 0, blob_part_bytes + 1).error().code == failure_code::bad_input);
  CHECK(write(hash, 3 * blob_part_bytes, 0, 5).error().code == failure_code::bad_input);
  CHECK(write(hash, 3 * blob_part_bytes, blob_part_bytes, blob_part_bytes).error().code == failure_code::bad_input);
  CHECK(write(hash, 3 * blob_part_bytes, 0, blob_part_bytes));
  CHECK(write(hash, 3 * blob_part_bytes, UINT64_MAX - 5, 6).error().code == failure_code::bad_input);
  CHECK(write(hash, 3 * blob_part_bytes, blob_part_bytes, blob_part_bytes));
  CHECK(write(hash, 3 * blob_part_bytes, 0, blob_part_bytes));  // begun anew
  CHECK(write(hash, 3 * blob_part_bytes, 2 * blob_part_bytes, blob_part_bytes).error().code == failure_code::bad_input);
}

}  // namespace blob_travel_test
