#include "actors/cli/one_task.hpp"

#include <iostream>

#include "configs/offers.hpp"
#include "configs/suite.hpp"
#include "configs/task_file.hpp"
#include "configs/wording.hpp"

namespace actors::cli {

using namespace messages;

namespace {

expected<task> read_choice(const task_choice& choice) {
  auto kind = configs::parse_dtype(choice.dtype);
  if (!kind) return tl::unexpected{kind.error()};
  if (!configs::names_problem(choice.task)) return configs::read_task(choice.task, {.dtype = *kind});
  auto problem = configs::find_problem(choice.task, choice.data);
  if (!problem) return tl::unexpected{problem.error()};
  return configs::with_dtype({.name = configs::safe_name(problem->name), .code = std::move(problem->code)}, *kind);
}

}  // namespace

expected<one_task> open_task(const common_options& common, const task_choice& choice) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto task = read_choice(choice);
  if (!task) return tl::unexpected{task.error()};
  auto at = open_system(*where, common);
  if (!at) return tl::unexpected{at.error()};
  auto store = blobs::blob_store::open(blobs_folder(at->state));
  if (!store) return tl::unexpected{store.error()};
  auto blob = store->put_record(*task);
  if (!blob) return tl::unexpected{blob.error()};
  auto file = store->path_of(*blob);
  if (!file) return tl::unexpected{file.error()};
  return one_task{*std::move(at), *store, *task, *blob, {choice.task, *file}};
}

outcome drive_one_task(const common_options& common, const one_task& x, run_spec spec) {
  spec.run = new_run_id();
  spec.system_file = x.system_file.string();
  if (auto missing = configs::missing_offers(spec, x.config); !missing.empty())
    return fail(failure_code::no_resource, missing.front());
  return drive_to_the_end(x.where, {common, x.config, x.state, spec});
}

}  // namespace actors::cli
