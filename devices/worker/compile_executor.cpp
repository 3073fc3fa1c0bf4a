#include "devices/worker/compile_executor.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "devices/worker/build_folder.hpp"
#include "devices/worker/candidate_files.hpp"
#include "devices/worker/family_executor.hpp"

namespace devices::worker {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure;
using messages::failure_code;
using messages::stage_kind;

namespace {

std::string text_of(const std::vector<messages::static_finding>& findings) {
  std::string text;
  for (const auto& x : findings) text += fmt::format("{}:{}: {}\n", x.file, x.line, x.message);
  return text;
}

messages::stage_outcome refusal(const messages::compile_refused& x) {
  messages::kernel_failure why{
      .stage = messages::failure_stage::compile, .kind = x.kind, .message = x.message, .details = {{"log", x.log}}};
  if (!x.toolchain.empty()) why.details["toolchain"] = x.toolchain;
  if (!x.findings.empty()) why.details["findings"] = text_of(x.findings);
  return messages::verdict{messages::rejected{std::move(why), {}, {}}};
}

/// A little less than the stage may run, so that a slow build is a verdict and not a lost worker.
std::chrono::milliseconds build_limit(std::chrono::milliseconds run_limit) {
  constexpr std::chrono::milliseconds longest_reserve{5'000};
  return run_limit - std::min(run_limit / 10, longest_reserve);
}

/// A refused build is a lead as well: its first error stands for it where the toolchain named no line.
messages::stage_outcome findings_of(const messages::compile_refused& x) {
  auto findings = x.findings;
  if (findings.empty()) findings.push_back({.message = x.message});
  return messages::verdict{messages::statically_checked{std::move(findings)}};
}

class compile_craft final : public worker_craft {
public:
  compile_craft(const blobs::blob_store& store, const compile_executor_options& options)
      : store_(store), options_(options) {}

  messages::expected<stage_work> prepare(const messages::stage_request& request,
                                         const family_folders& folders) override {
    if (request.kind != stage_kind::compile && request.kind != stage_kind::static_check)
      return fail(failure_code::no_resource,
                  "the compiler of " + options_.dsl + " takes compile and static stages only");
    auto found = copy_candidate(store_, request, folders.files);
    if (!found) return tl::unexpected{found.error()};
    auto made = build_folder::make(folders.own, options_.python.sandbox.is_on());
    if (!made) return tl::unexpected{made.error()};
    auto folder = std::make_shared<build_folder>(*std::move(made));
    messages::compile_work work{.manifest = std::move(found->manifest),
                                .files = std::move(found->files),
                                .adapter = fs::absolute(options_.adapter).string(),
                                .arch = request.target.arch,
                                .folder = folder->path().string(),
                                .limit = build_limit(request.run_limit)};
    return stage_work{std::move(work), [this, folder, sources = found->folder, kind = request.kind](worker_answer x) {
                        return kind == stage_kind::compile ? conclude_compile(x, *folder) : conclude_static(x);
                      }};
  }

private:
  messages::stage_outcome conclude_compile(const worker_answer& answer, const build_folder& folder) const {
    if (auto refused = std::get_if<messages::compile_refused>(&answer)) return refusal(*refused);
    if (auto done = std::get_if<messages::compile_done>(&answer)) return keep(*done, folder);
    return wrong_answer();
  }

  messages::stage_outcome conclude_static(const worker_answer& answer) const {
    if (auto refused = std::get_if<messages::compile_refused>(&answer)) return findings_of(*refused);
    if (auto done = std::get_if<messages::compile_done>(&answer))
      return messages::verdict{messages::statically_checked{done->warnings}};
    return wrong_answer();
  }

  messages::stage_outcome keep(const messages::compile_done& done, const build_folder& folder) const {
    messages::compiled result{.toolchain = done.toolchain};
    if (done.artifact.empty()) return messages::verdict{result};
    auto kept = folder.keep(done.artifact, store_);
    if (!kept) return kept.error();
    result.artifact = kept->blob;
    result.size_bytes = kept->bytes;
    return messages::verdict{result};
  }

  failure wrong_answer() const {
    return {failure_code::wrong_answer, "the compiler of " + options_.dsl + " answered something else than a build"};
  }

  blobs::blob_store store_;
  compile_executor_options options_;
};

}  // namespace

messages::expected<void> compile_executor_options::validate() const {
  if (!fs::is_regular_file(adapter))
    return fail(failure_code::misconfigured, "the adapter " + adapter.string() + " of " + dsl + " is not there");
  return python.validate();
}

messages::expected<std::unique_ptr<executor>> make_compile_executor(std::shared_ptr<worker_hub> hub,
                                                                    const blobs::blob_store& store,
                                                                    const compile_executor_options& options) {
  if (auto valid = options.validate(); !valid) return tl::unexpected{valid.error()};
  worker_family_options family{.name = "compiler of " + options.dsl,
                               .role = worker_role::compiler,
                               .arguments = {"--adapter", fs::absolute(options.adapter).string()},
                               .readable = {fs::absolute(options.adapter).parent_path()},
                               .python = options.python,
                               .start_limit = options.start_limit};
  auto craft = std::make_unique<compile_craft>(store, options);
  std::size_t places = options.side_by_side ? options.side_by_side : std::max(1u, std::thread::hardware_concurrency());
  return std::make_unique<family_executor>(std::move(hub), std::move(family), places, std::move(craft));
}

}  // namespace devices::worker
