#pragma once
// A hub in a folder of its own, Python for workers, and a place where reports from the hub's thread are awaited.

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "devices/worker/worker_hub.hpp"
#include "devices/worker/worker_python.hpp"
#include "tests/support/scratch_folder.hpp"

namespace tests {

/// Reports from another thread.
template <class T>
class mailbox {
public:
  void put(T x) {
    std::lock_guard lock{mutex_};
    items_.push_back(std::move(x));
    changed_.notify_all();
  }

  /// The next one; none if it does not come.
  std::optional<T> take(std::chrono::milliseconds limit = std::chrono::seconds{30}) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, limit, [&] { return !items_.empty(); })) return std::nullopt;
    auto x = std::move(items_.front());
    items_.pop_front();
    return x;
  }

  /// For what ought to be there.
  T await() {
    auto x = take();
    REQUIRE_MESSAGE(x.has_value(), "nothing was reported within 30 s");
    return *std::move(x);
  }

  bool empty() {
    std::lock_guard lock{mutex_};
    return items_.empty();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
};

/// Looks for modules without importing them: torch takes seconds.
inline bool can_import(const std::string& python, const std::string& modules) {
  auto script = "import importlib.util as u, sys; sys.exit(any(u.find_spec(m.strip()) is None for m in \"" + modules
                + "\".split(\",\")))";
  return std::system((python + " -c '" + script + "' >/dev/null 2>&1").c_str()) == 0;
}

/// KERNELMESH_PYTHON, else python3; empty if it lacks a module.
inline std::string python_with(const std::string& modules) {
  auto named = std::getenv("KERNELMESH_PYTHON");
  std::string python = named ? named : "python3";
  return can_import(python, modules) ? python : "";
}

/// False, and a message, where there is no Python for the test.
inline bool has_python(const std::string& modules = "zmq, msgpack") {
  auto found = !python_with(modules).empty();
  if (!found) MESSAGE("SKIPPED: no Python with ", modules, "; set KERNELMESH_PYTHON");
  return found;
}

struct workers {
  scratch_folder scratch;
  std::shared_ptr<devices::worker::worker_hub> hub = open_hub();
  devices::worker::worker_python python{
      .interpreter = std::getenv("KERNELMESH_PYTHON") ? std::getenv("KERNELMESH_PYTHON") : "python3",
      .package_folder = std::filesystem::path{KERNELMESH_SOURCES} / "tests/devices/worker",
      .module = "fake_worker"};

  std::shared_ptr<devices::worker::worker_hub> open_hub() const {
    auto opened = devices::worker::worker_hub::open({.folder = scratch.path(), .guard = KERNELMESH_GUARD});
    REQUIRE_MESSAGE(opened.has_value(), opened.error().detail);
    return *opened;
  }
};

}  // namespace tests
