#include <algorithm>

#include <doctest/doctest.h>

#include "devices/worker/worker_sandbox.hpp"

namespace level_test {

using namespace devices::worker;

namespace {

struct row {
  std::string name;
  sandbox_facts facts;
  std::string why_not, remedy;  // a part of it
};

}  // namespace

TEST_CASE("a machine on which the trial works has namespaces, whatever its settings say") {
  CHECK(level_of({}) == sandbox_level{.name = "namespaces"});
  CHECK(level_of({.unprivileged_user_namespaces = 0, .apparmor_restricts = 1, .is_root = true})
        == sandbox_level{.name = "namespaces"});
}

TEST_CASE("each reason that a machine has no sandbox for comes with its remedy") {
  const auto refused = "no sandbox: cannot make namespaces: Operation not permitted\n";
  for (const auto& x : std::vector<row>{
           {"Debian's switch", {.unprivileged_user_namespaces = 0}, "unprivileged_userns_clone is 0", "clone=1"},
           {"Ubuntu's AppArmor", {.apparmor_restricts = 1}, "restrict_unprivileged_userns is 1", "AppArmor profile"},
           {"no namespaces", {.max_user_namespaces = 0}, "max_user_namespaces is 0", "max_user_namespaces=10000"},
           {"no namespaces, root", {.max_user_namespaces = 0, .is_root = true}, "is 0", "max_user_namespaces=10000"},
           {"a container",
            {.max_user_namespaces = 9, .unprivileged_user_namespaces = 1, .apparmor_restricts = 0},
            "cannot make namespaces: Operation not permitted",
            "seccomp=unconfined"},
           {"root in a container",
            {.unprivileged_user_namespaces = 0, .apparmor_restricts = 1, .is_root = true},
            "cannot make namespaces: Operation not permitted",
            "SYS_ADMIN"}}) {
    auto facts = x.facts;
    facts.trial_code = 125;
    facts.trial_said = refused;
    auto level = level_of(facts);
    CAPTURE(x.name);
    CHECK(level.name == "none");
    CHECK(level.why_not.find(x.why_not) != std::string::npos);
    CHECK(level.remedy.find(x.remedy) != std::string::npos);
  }
}

TEST_CASE("a masked /proc and a trial without words are named too") {
  auto masked = level_of(
      {.trial_code = 125, .trial_said = "no sandbox: cannot mount /proc in a sandbox: Operation not permitted\n"});
  CHECK(masked.why_not == "cannot mount /proc in a sandbox: Operation not permitted");
  CHECK(masked.remedy.find("systempaths=unconfined") != std::string::npos);
  CHECK(level_of({.trial_code = 3}).why_not == "a trial ended with exit code 3");
}

TEST_CASE("without a sandbox nothing is asked of the guard; with one, paths, rights and the worker's own folder are") {
  worker_view view{.folders = {"/hub/files"}, .own = "/hub/own", .keeps_rights = true};
  CHECK(sandbox_of({}, view).empty());
  CHECK(sandbox_of({.level = "namespaces", .readable = {"/usr"}}, view)
        == "ro /usr\nown /hub/files\nrw /hub/own\nkeep-caps\n");
}

TEST_CASE("a sandbox can be made where the guard is, and shows what the interpreter needs") {
  sandbox_options options{.guard = KERNELMESH_GUARD,
                          .interpreter = "python3",
                          .package_folder = std::filesystem::path{KERNELMESH_SOURCES} / "devices/worker",
                          .readable = {"/usr/include/../share", "/no/such/folder"},
                          .unsafe_none = true};
  auto made = make_sandbox(options);
  REQUIRE_MESSAGE(made.has_value(), made.error().detail);
  if (!made->is_on()) {
    MESSAGE("SKIPPED: ", probe_sandbox(KERNELMESH_GUARD).why_not);
    return;
  }
  auto shows = [&](const std::filesystem::path& x) { return std::ranges::count(made->readable, x) > 0; };
  CHECK(shows("/usr"));
  CHECK(shows("/usr/share"));
  CHECK(shows(options.package_folder));
  CHECK(shows(KERNELMESH_GUARD));
  CHECK_FALSE(shows("/no/such/folder"));
}

}  // namespace level_test
