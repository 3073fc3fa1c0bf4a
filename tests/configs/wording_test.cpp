#include "configs/wording.hpp"

#include <doctest/doctest.h>

#include "configs/bounded_file.hpp"
#include "configs/scalars.hpp"

namespace wording_test {

using namespace configs;
using namespace std::chrono_literals;

namespace {

template <class T>
T parsed(std::string_view text) {
  T x{};
  REQUIRE_MESSAGE(parse_scalar(text, x), text);
  return x;
}

template <class T>
bool refused(std::string_view text) {
  T x{};
  return !parse_scalar(text, x);
}

}  // namespace

TEST_CASE("the nearest name is the one that was probably meant") {
  std::vector<std::string> known{"devices", "compilers", "scheduler", "log"};
  CHECK(nearest("devces", known) == "devices");
  CHECK(nearest("Devices", known) == "devices");
  CHECK(nearest("shceduler", known) == "scheduler");
  CHECK(nearest("lgo", known) == "log");
  CHECK(nearest("banana", known).empty());
  CHECK(nearest("x", known).empty());
  CHECK(nearest(std::string(100'000, 'd'), known).empty());
}

TEST_CASE("what is quoted can't break a terminal and stays short") {
  CHECK(in_quotes("a\n\x1b[31m") == "\"a\\n\\x1b[31m\"");
  CHECK(in_quotes(std::string(100, 'a')) == "\"" + std::string(60, 'a') + "...\"");
  auto text = std::string(59, 'a').append("\xc3\xa9").append("more than that");
  auto cut = in_quotes(text);
  CHECK(cut == "\"" + std::string(59, 'a') + "...\"");
}

TEST_CASE("a safe name is one for files and ids") {
  CHECK(safe_name("cpu:0") == "cpu_0");
  CHECK(safe_name("../etc") == "_.._etc");
  CHECK(safe_name("") == "_");
  CHECK(safe_name(std::string(200, 'a')).size() == 64);
}

TEST_CASE("durations have units, larger ones first") {
  using usec = std::chrono::microseconds;
  CHECK(parsed<usec>("10m") == 10min);
  CHECK(parsed<usec>("250ms") == 250ms);
  CHECK(parsed<usec>("1h30m") == 90min);
  CHECK(parsed<usec>("1d2h3m4s5ms6us") == 26h + 3min + 4s + 5ms + 6us);
  CHECK(parsed<usec>("0") == 0s);
  CHECK(parsed<std::chrono::milliseconds>("1500ms") == 1500ms);
  for (auto text :
       {"", "10", "m", "1.5s", "-5s", "5 s", "30m1h", "1m1m", "5x", "99999999999999999999s", "9999999999999d", "+1s"})
    CHECK_MESSAGE(refused<usec>(text), text);
  CHECK(refused<std::chrono::milliseconds>("5us"));
}

TEST_CASE("sizes have units") {
  CHECK(parsed<byte_size>("64MiB").bytes == 64u << 20);
  CHECK(parsed<byte_size>("1GiB512MiB").bytes == (1u << 30) + (512u << 20));
  CHECK(parsed<byte_size>("3kB").bytes == 3000);
  CHECK(parsed<byte_size>("0").bytes == 0);
  for (auto text : {"64", "MiB", "64mb", "-1B", "1.5GiB", "99999999999GiB"})
    CHECK_MESSAGE(refused<byte_size>(text), text);
}

TEST_CASE("what is shown can be read again") {
  for (auto x : {0us, 1us, 1500us, 90'000'000us, 93'784'005'006us})
    CHECK(parsed<std::chrono::microseconds>(show(x)) == x);
  for (std::uint64_t x : {0ull, 1ull, 1000ull, 1024ull, 64ull << 20, 12345678901ull})
    CHECK(parsed<byte_size>(show(byte_size{x})).bytes == x);
  for (auto x : {0.95, 1e-9, -3.0}) CHECK(parsed<double>(show(x)) == x);
}

TEST_CASE("numbers are whole, finite and in their type") {
  CHECK(parsed<std::uint32_t>("4294967295") == 4294967295u);
  CHECK(refused<std::uint32_t>("4294967296"));
  CHECK(refused<std::uint32_t>("-1"));
  CHECK(refused<std::int64_t>("1_000"));
  CHECK(refused<std::int64_t>("0x10"));
  CHECK(refused<std::int64_t>("1.0"));
  CHECK(refused<double>("inf"));
  CHECK(refused<double>("nan"));
  CHECK(refused<bool>("yes"));
}

TEST_CASE("UTF-8 is told from other bytes") {
  CHECK(valid_utf8("plain"));
  CHECK(valid_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  CHECK_FALSE(valid_utf8("\xff\xfe"));
  CHECK_FALSE(valid_utf8("\xc3"));
  CHECK_FALSE(valid_utf8("\xc0\x80"));
  CHECK_FALSE(valid_utf8("\xe2\x82"));
}

TEST_CASE("a path is short where it lies in the working folder, and whole elsewhere") {
  auto here = std::filesystem::current_path();
  CHECK(path_for_people(here / "t" / ".." / "w" / "relu.py") == "w/relu.py");
  CHECK(path_for_people("w/relu.py") == "w/relu.py");
  CHECK(path_for_people("/nowhere/relu.py") == "/nowhere/relu.py");
}

}  // namespace wording_test
