#include "actors/links/keys.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <fstream>

#include "actors/links/link_options.hpp"
#include "tests/support/scratch_folder.hpp"

namespace keys_test {

using namespace actors::links;
using messages::failure_code;

namespace {

messages::join_ticket ticket() {
  return {.address = "tcp://10.0.0.1:7400",
          .server = make_key_pair().open,
          .name = {"pool"},
          .secret = make_key_pair().secret};
}

mode_t mode_of(const std::filesystem::path& file) {
  struct stat about {};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  return about.st_mode & 0777;
}

}  // namespace

TEST_CASE("a token is one word that shells take, and gives back what it was made of") {
  auto x = ticket();
  auto token = token_of(x);
  CHECK(token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        == std::string::npos);
  auto read = read_token(token);
  REQUIRE(read);
  CHECK(*read == x);
}

TEST_CASE("a token with a letter changed, cut short or made of something else is refused in one sentence") {
  auto token = token_of(ticket());
  for (std::size_t at = 4; at < token.size(); at += 7) {
    auto changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    auto read = read_token(changed);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == failure_code::bad_input);
    CHECK(read_token(token.substr(0, at)).error().detail.starts_with("this is no token: "));
  }
  CHECK(read_token("").error().detail
        == "this is no token: it does not begin with \"km1-\"; `kernelmesh certs token NAME` prints one");
  auto without_key = ticket();
  without_key.secret = {"short"};
  CHECK(read_token(token_of(without_key)).error().detail
        == "this is no token: address, name or a key is missing in it; `kernelmesh certs token NAME` prints one");
}

TEST_CASE("keys lie in files that their owner alone may read, and a name has one") {
  tests::scratch_folder folder;
  key_folder keys{folder.path() / "certs"};
  auto own = keys.own(), again = keys.own();
  REQUIRE((own && again));
  CHECK(own->secret == again->secret);
  auto made = keys.make({"pool"});
  REQUIRE(made);
  CHECK(keys.find({"pool"})->secret == made->secret);
  CHECK(mode_of(keys.file_of({"pool"})) == 0600);
  CHECK(mode_of(folder.path() / "certs") == 0700);
  CHECK(keys.nodes() == std::map<messages::public_key, messages::node_name>{{made->open, {"pool"}}});
  CHECK(keys.make({"pool"}).error().detail.starts_with("there is a key for pool already, "));
  for (auto name : {"", "a.b", "../x", "coordinator", "with space"})
    CHECK(keys.make({name}).error().code == failure_code::bad_input);
  CHECK(keys.find({"other"}).error().code == failure_code::not_found);
}

TEST_CASE("a key that others may read, or that is damaged, admits nobody") {
  tests::scratch_folder folder;
  key_folder keys{folder.path()};
  REQUIRE(keys.make({"open"}));
  REQUIRE(keys.make({"broken"}));
  auto good = keys.make({"good"});
  ::chmod(keys.file_of({"open"}).c_str(), 0644);
  std::ofstream{keys.file_of({"broken"})} << "{}";
  CHECK(keys.nodes() == std::map<messages::public_key, messages::node_name>{{good->open, {"good"}}});
  CHECK(keys.find({"open"}).error().detail.ends_with("chmod 600 it"));
  CHECK(keys.find({"broken"}).error().code == failure_code::unreadable);
}

TEST_CASE("an address is HOST:PORT with a port that there is, and loopback is known as such") {
  CHECK(*endpoint_of("10.0.0.1:7400") == "tcp://10.0.0.1:7400");
  CHECK(*endpoint_of("tcp://host:*") == "tcp://host:*");
  for (auto wrong : {"10.0.0.1", ":7400", "host:0", "host:99999", "host:", "ipc:///tmp/x", "host:74x"})
    CHECK(endpoint_of(wrong).error().code == failure_code::misconfigured);
  for (auto near : {"tcp://127.0.0.1:7400", "tcp://127.1.2.3:1", "tcp://localhost:1", "tcp://[::1]:1"})
    CHECK(is_loopback(near));
  for (auto far : {"tcp://0.0.0.0:1", "tcp://10.0.0.1:1", "tcp://127.evil.org:1", "tcp://*:1"})
    CHECK_FALSE(is_loopback(far));
}

}  // namespace keys_test
