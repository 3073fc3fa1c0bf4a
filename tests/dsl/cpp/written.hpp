#pragma once
// Kernels for tests: a graph through planner, coder and g++ into a function that can be called.

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "devices/worker/kernelmesh_abi.h"
#include "dsl/cpp/language.hpp"
#include "dsl/rules_coder.hpp"
#include "dsl/rules_planner.hpp"
#include "messages/blobs/blob_store.hpp"
#include "tests/dsl/folders.hpp"
#include "tests/dsl/golden.hpp"

namespace dsl::testing {

inline const std::filesystem::path& dsl_folder() {
  static const std::filesystem::path folder = KERNELMESH_SOURCE_FOLDER "/dsl";
  return folder;
}

inline const language& cpp() {
  static const auto made = [] {
    auto files = registry::load(dsl_folder());
    REQUIRE_MESSAGE(files, files.error().detail);
    auto set = language_set::make(*files, {dsl::cpp::maker()});
    REQUIRE_MESSAGE(set, set.error().detail);
    return set->find("cpp");
  }();
  return *made;
}

/// Of its recipes those of that name alone.
inline std::shared_ptr<const language> cpp_with(const std::set<std::string>& recipes) {
  auto files = cpp().files();
  std::erase_if(files.recipes, [&](const recipe_files& x) { return !recipes.contains(x.manifest.name); });
  auto made = dsl::cpp::maker().second(files);
  REQUIRE_MESSAGE(made, made.error().detail);
  return *made;
}

inline messages::plan first_plan(const messages::op_graph& graph) {
  auto reply = rules_plan({.wanted = 1}, graph, cpp());
  REQUIRE_MESSAGE(reply.plans.size() == 1, reply.remark);
  return reply.plans.front();
}

struct written {
  messages::candidate_manifest manifest;
  std::map<std::string, std::string> sources;
};

inline written write(const messages::op_graph& graph, const messages::plan& plan) {
  temporary_folder folder;
  auto store = blobs::blob_store::open(folder.path / "blobs");
  REQUIRE(store);
  auto reply = rules_code({.plan = plan}, graph, cpp(), *store);
  REQUIRE(reply);
  REQUIRE_MESSAGE(reply->manifest, reply->remark);
  written result{*reply->manifest, {}};
  for (const auto& source : result.manifest.sources) result.sources[source.path] = store->get(source.blob).value();
  return result;
}

/// A built kernel; the library stays loaded.
class built {
public:
  explicit built(const written& x, const char* optimise = "-O1") {
    for (const auto& [path, text] : x.sources) folder_.write(path, text);
    auto command = "cd " + folder_.path.string() + " && g++ -std=c++20 -fopenmp -fno-math-errno -fno-trapping-math "
                   + optimise + " -Wall -Wextra -Werror -march=native -shared -fPIC -o k.so kernel.cpp";
    REQUIRE(std::system(command.c_str()) == 0);
    void* library = ::dlopen((folder_.path / "k.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    run = reinterpret_cast<decltype(&::kernelmesh_run)>(::dlsym(library, "kernelmesh_run"));
    bool found = run != nullptr;
    REQUIRE(found);
  }
  decltype(&::kernelmesh_run) run = nullptr;

private:
  temporary_folder folder_;
};

}  // namespace dsl::testing
