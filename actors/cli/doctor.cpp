#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "actors/cli/commands.hpp"
#include "actors/cli/place.hpp"
#include "actors/cli/program.hpp"
#include "actors/cli/progress.hpp"
#include "actors/cli/results.hpp"
#include "actors/executors.hpp"
#include "actors/journal_file.hpp"
#include "actors/logic/blob_references.hpp"
#include "actors/report/sentences.hpp"
#include "devices/calibration_file.hpp"
#include "devices/worker/worker_sandbox.hpp"
#include "messages/records/documents.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;
using std::chrono::seconds;

namespace {

/// A device that takes longer to start than this is not fit for work.
constexpr seconds start_limit{120};

void add(doctor_document& to, std::string name, std::string text) {
  to.checks.push_back({std::move(name), "ok", std::move(text), ""});
}

void miss(doctor_document& to, std::string name, const failure& x, std::string remedy) {
  to.checks.push_back({std::move(name), "missing", x.detail, std::move(remedy)});
  to.fit = false;
}

void check_state(doctor_document& to, const fs::path& state) {
  std::error_code error;
  auto space = fs::space(state, error);
  auto gib = static_cast<double>(space.available) / (1u << 30);
  char text[64];
  std::snprintf(text, sizeof text, "%.1f GiB free", gib);
  constexpr double least = 1.0 / 16;  // for the journals and blobs of one run
  if (gib < least)
    miss(to, "state folder", {failure_code::storage, state.string() + ", " + text}, "make room on that disk");
  else if (gib < 1)
    to.checks.push_back({"state folder", "problem", state.string() + ", " + text, "make room on that disk"});
  else
    add(to, "state folder", state.string() + ", " + text);
}

void check_python(doctor_document& to, const place& where, const common_options& common,
                  const configs::system_config& config) {
  auto found = look_for_python(where, common, config, false);
  if (!found)
    return miss(to, "python", found.error(),
                "scripts/quickstart makes a Python that fits; or name one with --python, worker.python or VIRTUAL_ENV");
  auto text = found->place.path.string() + " (" + found->place.named_by + "), Python " + found->report.python;
  for (const auto& [name, version] : found->report.versions) text += ", " + name + ' ' + version;
  add(to, "python", text);
}

/// As device_runner.cpp and compiler.cpp name them.
std::vector<std::string> resource_names(const configs::system_config& config) {
  std::vector<std::string> names;
  for (const auto& x : config.devices) names.push_back(config.node + '/' + x.name);
  for (const auto& x : config.compilers) names.push_back(config.node + "/compiler." + x.dsl);
  return names;
}

/// Waits for events of the node's resources.
class readiness {
public:
  void note(const event& x) {
    std::lock_guard lock{mutex_};
    if (x.kind == event_kind::resource_joined) ready_.insert(x.subject);
    if (x.kind == event_kind::resource_left) why_[x.subject] = x.text;
    changed_.notify_all();
  }
  bool wait_for(const std::string& name, std::chrono::steady_clock::time_point limit) {
    std::unique_lock lock{mutex_};
    return changed_.wait_until(lock, limit, [&] { return ready_.contains(name); });
  }
  std::string why_not(const std::string& name) {
    std::lock_guard lock{mutex_};
    return why_.contains(name) ? why_[name] : "it did not start in time";
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> ready_;
  std::map<std::string, std::string> why_;
};

/// What devices were found to do; those without a calibration have nothing that could be measured.
void check_calibrations(doctor_document& to, const configs::system_config& config, const fs::path& state) {
  for (const auto& device : config.devices) {
    auto found = devices::read_calibration(devices::calibration_file(calibrations_folder(state), {device.name}));
    if (found) add(to, "calibration of " + device.name, report::text_of(*found, hint("doctor --measure")));
  }
}

void forget_calibrations(const configs::system_config& config, const fs::path& state) {
  std::error_code error;
  for (const auto& device : config.devices)
    fs::remove(devices::calibration_file(calibrations_folder(state), {device.name}), error);
}

void check_resources(doctor_document& to, const place& where, const common_options& common,
                     const configs::system_config& config, const fs::path& state) {
  auto setup = set_up_node(where, common, config, state);
  if (!setup) return;  // said already
  readiness ready;
  setup->on_event = [&](const event& x) {
    ready.note(x);
    if (common.verbose) std::cerr << line_of(x, {.verbose = true}) + '\n';
  };
  auto here = node::start(*setup);
  if (!here)
    return miss(to, "node", here.error(), "correct what the message names, in the system config or its folder");
  auto limit = std::chrono::steady_clock::now() + start_limit;
  for (const auto& name : resource_names(config)) {
    if (ready.wait_for(name, limit))
      add(to, name, "ready");
    else
      miss(to, name, {failure_code::worker_lost, ready.why_not(name)}, "see the message; --verbose shows every event");
  }
}

/// True unless a node would refuse to start for it.
bool check_sandbox(doctor_document& to, const configs::system_config& config) {
  auto level = devices::worker::probe_sandbox(kernelmesh_guard());
  if (level.name != "none") {
    add(to, "sandbox", level.name + ": candidates see nothing that they were not given");
    return true;
  }
  auto refused = config.sandbox.level == configs::sandbox_need::required;
  if (refused) to.fit = false;
  to.checks.push_back({"sandbox", refused ? "missing" : "problem", level.why_not, level.remedy});
  return !refused;
}

exit_code print(const doctor_document& x, bool json) {
  if (json) {
    std::cout << wire::to_json(x, {.indent = 2}) << '\n';
  } else {
    for (const auto& check : x.checks) {
      std::cout << check.state << std::string(9 - std::min<std::size_t>(8, check.state.size()), ' ') << check.name
                << ": " << check.text << '\n';
      if (!check.remedy.empty()) std::cout << "         -> " << check.remedy << '\n';
    }
    std::cout << (x.fit ? "fit for work\n" : "not fit for work\n");
  }
  return x.fit ? exit_code::done : exit_code::infrastructure;
}

/// Each is read, because one that is there may be damaged.
void check_blobs(doctor_document& to, const fs::path& state, const std::vector<fact>& facts) {
  auto store = blobs::blob_store::open(blobs_folder(state));
  if (!store)
    return miss(to, "blobs", store.error(), "make room on that disk, or name another state folder in KERNELMESH_HOME");
  std::set<blob_hash> wanted;
  for (const auto& fact : facts) wanted.merge(logic::blobs_of(fact));
  std::vector<std::string> bad;
  for (const auto& hash : wanted)
    if (auto blob = store->get(hash); !blob) bad.push_back(blob.error().detail);
  if (bad.empty()) return add(to, "blobs", std::to_string(wanted.size()));
  auto said = std::to_string(bad.size()) + " of " + std::to_string(wanted.size()) + " can't be read; the first: ";
  miss(to, "blobs", {failure_code::not_found, said + bad.front()},
       "copy " + store->folder().string() + " from where the run was made, or start the run again");
}

outcome check_journal(const place& where, const common_options& common, const std::string& run) {
  auto state = where.state_to_read(common);
  if (!state) return tl::unexpected{state.error()};
  if (auto there = check_run(*state, {run}); !there) return tl::unexpected{there.error()};
  doctor_document document;
  auto file = journal_file::open(journal_path(runs_folder(*state), {run}), journal_file::mode::read_only);
  if (!file) return tl::unexpected{file.error()};
  auto whole = file->check();
  if (whole)
    add(document, "journal", "whole");
  else
    miss(document, "journal", whole.error(), "restore the file from a copy, or start the run again");
  auto facts = file->read();
  if (facts)
    add(document, "facts", std::to_string(facts->size()));
  else
    miss(document, "facts", facts.error(), "restore the file from a copy, or start the run again");
  if (facts) check_blobs(document, *state, *facts);
  return print(document, common.json);
}

}  // namespace

outcome doctor(const common_options& common, const doctor_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  if (!options.run.empty()) return check_journal(*where, common, options.run);
  auto file = where->system_file(common.system);
  if (!file) return tl::unexpected{file.error()};
  auto config = configs::load_system_config(*file, where->known);
  if (!config) return tl::unexpected{config.error()};
  if (!options.devices.empty()) {
    auto targets = targets_of(*where, options.devices, {});
    if (!targets) return tl::unexpected{targets.error()};
    take_up(*where, *file, *config, *targets);
    if (auto known = check_devices(*config, options.devices); !known) return tl::unexpected{known.error()};
  }
  doctor_document document;
  add(document, "install", where->install.root.string());
  add(document, "system config", file->string());
  add(document, "cores", std::to_string(std::thread::hardware_concurrency()));
  auto state = where->open_state(config->state_folder);
  if (!state) {
    miss(document, "state folder", state.error(), "name a folder of your own in KERNELMESH_HOME");
    return print(document, common.json);
  }
  check_state(document, *state);
  if (auto line = start_line(devices_with_workers(*config)); !line.empty()) std::cerr << line + '\n';
  check_python(document, *where, common, *config);
  if (options.measure) forget_calibrations(*config, *state);
  if (check_sandbox(document, *config)) check_resources(document, *where, common, *config, *state);
  check_calibrations(document, *config, *state);
  return print(document, common.json);
}

}  // namespace actors::cli
