#include "devices/worker/judge_craft.hpp"

#include <signal.h>

#include "devices/calibration_file.hpp"
#include "devices/profile_rules.hpp"
#include "devices/shape_rules.hpp"
#include "devices/worker/candidate_files.hpp"
#include "devices/worker/family_executor.hpp"
#include "devices/worker/task_mark.hpp"
#include "messages/records/op_graph.hpp"

namespace devices::worker {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure;
using messages::failure_code;
using messages::stage_kind;

namespace {

messages::stage_outcome refusal(const messages::task_refused& x) {
  messages::kernel_failure why{
      .stage = messages::failure_stage::trace, .kind = messages::failure_kind::task_error, .message = x.message};
  if (x.line > 0) why.details["line"] = std::to_string(x.line);
  return messages::verdict{messages::rejected{std::move(why), {}, {}}};
}

/// A signal that a process gets for what its own code did; others come from outside, for want of memory say.
std::string crash_of(const process_end& end) {
  if (end.code <= 128) return "ended its process (exit code " + std::to_string(end.code) + ")";
  auto signal = end.code - 128;
  bool own = signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  return own ? "crashed its process (signal " + std::to_string(signal) + ")" : "";
}

/// What the task did to the judge, which was at its code; empty where it may have been the machine.
std::string deed_of(const task_mark& mark, const messages::stage_request& request, const lost_worker& lost) {
  if (lost.end) {
    auto crash = crash_of(*lost.end);
    return crash.empty() ? "" : "the task " + crash + " while " + mark.doing + "; it may only return or raise";
  }
  if (2 * mark.lasted < request.run_limit) return {};
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g s", static_cast<double>(request.run_limit.count()) / 1e3);
  std::string kind{enum_names(request.kind)[static_cast<std::size_t>(request.kind)]};
  return "the task did not finish " + mark.doing + " within " + limit
         + "; if it needs longer, raise scheduler.run_limit." + kind + " in the system config";
}

/// A verdict, or the failure that a conclusion may be instead.
template <class... Ts>
messages::stage_outcome outcome_of(std::variant<Ts...> conclusion) {
  return std::visit(
      []<class T>(T x) -> messages::stage_outcome {
        if constexpr (std::is_same_v<T, failure>)
          return x;
        else
          return messages::verdict{std::move(x)};
      },
      std::move(conclusion));
}

/// The task as it was shrunk.
messages::task with_globals(messages::task x, const std::map<std::string, std::int64_t>& globals) {
  for (const auto& [name, value] : globals) x.overrides[name] = value;
  x.shrink_to_bytes = 0;
  return x;
}

class judge_craft final : public worker_craft {
public:
  judge_craft(const blobs::blob_store& store, const judge_device_options& options) : store_(store), options_(options) {}

  std::optional<messages::probe_work> first_question() const override {
    return messages::probe_work{options_.name, read_calibration(calibration_file())};
  }

  messages::expected<void> learn(worker_answer answer) override {
    auto probed = std::get_if<messages::probe_done>(&answer);
    if (!probed) return tl::unexpected{wrong_answer()};
    device_ = std::move(probed->device);
    bool kept = !options_.calibrations.empty() && !probed->calibration.of.empty();
    if (!kept || read_calibration(calibration_file()) == probed->calibration) return {};
    (void)write_calibration(calibration_file(), probed->calibration);  // else the next start measures again
    return {};
  }

  messages::expected<stage_work> prepare(const messages::stage_request& request,
                                         const family_folders& folders) override {
    auto task = store_.get_record<messages::task>(request.task);
    if (!task) return tl::unexpected{task.error()};
    if (request.kind == stage_kind::trace)
      return stage_work{messages::trace_work{*task, options_.name},
                        [this, task = *task](worker_answer x) { return conclude_trace(std::move(x), task); }};
    if (request.kind == stage_kind::verify || request.kind == stage_kind::time || request.kind == stage_kind::profile)
      return prepare_judging(*std::move(task), request, folders);
    return fail(failure_code::no_resource, options_.name.value + " takes no such stage");
  }

  std::optional<messages::stage_outcome> explain(const messages::stage_request& request,
                                                 const lost_worker& lost) const override {
    auto task = store_.get_record<messages::task>(request.task);
    if (!task) return std::nullopt;
    auto mark = read_task_mark(lost.folders.own, task->name + ".py");
    auto deed = mark ? deed_of(*mark, request, lost) : "";
    if (deed.empty()) return std::nullopt;
    return refusal({std::move(deed), mark->line});
  }

private:
  fs::path calibration_file() const { return devices::calibration_file(options_.calibrations, options_.name); }

  messages::expected<stage_work> prepare_judging(messages::task task, const messages::stage_request& request,
                                                 const family_folders& folders) {
    auto found = copy_candidate(store_, request, folders.files);
    if (!found) return tl::unexpected{found.error()};
    messages::judge_work work{.task = std::move(task),
                              .manifest = std::move(found->manifest),
                              .files = std::move(found->files),
                              .artifact = std::move(found->artifact),
                              .device = options_.name,
                              .options = request.judge,
                              .input_bytes = request.input_bytes,
                              .time = request.kind == stage_kind::time,
                              .profile = request.kind == stage_kind::profile};
    if (auto adapter = options_.adapters.find(work.manifest.dsl); adapter != options_.adapters.end())
      work.adapter = fs::absolute(adapter->second).string();
    return stage_work{std::move(work), [this, copies = found->folder, request](worker_answer x) {
                        return conclude_judging(std::move(x), request);
                      }};
  }

  messages::stage_outcome conclude_trace(worker_answer answer, const messages::task& task) const {
    if (auto refused = std::get_if<messages::task_refused>(&answer)) return refusal(*refused);
    auto done = std::get_if<messages::trace_done>(&answer);
    if (!done) return wrong_answer();
    auto graph = store_.put_record(done->graph);
    if (!graph) return graph.error();
    messages::traced found{.graph = *graph, .device = device_, .shrunk = done->shrunk};
    for (const auto& other : done->others) {
      auto one = store_.put_record(other);
      if (!one) return one.error();
      found.others.push_back({*one, {}});
    }
    if (found.shrunk.empty()) return messages::verdict{std::move(found)};
    auto blob = store_.put_record(with_globals(task, found.shrunk));
    if (!blob) return blob.error();
    found.task = *blob;
    return messages::verdict{std::move(found)};
  }

  messages::stage_outcome conclude_judging(worker_answer answer, const messages::stage_request& request) const {
    const auto& options = request.judge;
    if (auto refused = std::get_if<messages::task_refused>(&answer)) return refusal(*refused);
    if (auto done = std::get_if<messages::verify_done>(&answer)) return outcome_of(conclude_shapes(*done, options));
    if (auto done = std::get_if<messages::time_done>(&answer))
      return outcome_of(conclude_shapes(*done, options, device_.copy_bytes_per_second));
    if (auto done = std::get_if<messages::profile_done>(&answer))
      return messages::verdict{conclude(done->figures, roofline_of(request.graph))};
    return wrong_answer();
  }

  /// Without a graph nothing is known of what the task needs.
  roofline roofline_of(const messages::blob_hash& graph) const {
    roofline x{.copy_bytes_per_second = device_.copy_bytes_per_second};
    if (auto rate = device_.limits.find("fma_flops_per_second"); rate != device_.limits.end())
      x.fma_flops_per_second = rate->second;
    if (graph.value.empty()) return x;
    if (auto known = store_.get_record<messages::op_graph>(graph)) {
      x.floor_bytes = static_cast<double>(known->floor_bytes);
      x.flops = static_cast<double>(known->flops);
    }
    return x;
  }

  failure wrong_answer() const {
    return {failure_code::wrong_answer, "the judge of " + options_.name.value + " answered something else than asked"};
  }

  blobs::blob_store store_;
  judge_device_options options_;
  messages::device_info device_;
};

}  // namespace

messages::expected<void> judge_device_options::validate() const {
  for (const auto& [dsl, adapter] : adapters)
    if (!fs::is_regular_file(adapter))
      return fail(failure_code::misconfigured, "the adapter " + adapter.string() + " of " + dsl + " is not there");
  return python.validate();
}

messages::expected<std::unique_ptr<executor>> make_judge_device(std::shared_ptr<worker_hub> hub,
                                                                const blobs::blob_store& store,
                                                                const judge_device_options& options) {
  if (auto valid = options.validate(); !valid) return tl::unexpected{valid.error()};
  worker_family_options family{.name = "judge of " + options.name.value,
                               .arguments = {"--device", options.name.value},
                               .readable = options.readable,
                               .devices = options.nodes,
                               .python = options.python,
                               .start_limit = options.start_limit};
  for (const auto& [dsl, adapter] : options.adapters) family.readable.push_back(fs::absolute(adapter).parent_path());
  auto craft = std::make_unique<judge_craft>(store, options);
  return std::make_unique<family_executor>(std::move(hub), std::move(family), 1, std::move(craft));
}

}  // namespace devices::worker
