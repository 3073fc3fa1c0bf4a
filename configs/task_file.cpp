#include "configs/task_file.hpp"

#include <cctype>

#include "configs/bounded_file.hpp"
#include "configs/scalars.hpp"
#include "configs/wording.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool mentions(std::string_view code, std::string_view identifier) {
  for (auto at = code.find(identifier); at != code.npos; at = code.find(identifier, at + 1)) {
    auto end = at + identifier.size();
    if ((at == 0 || !part_of_name(code[at - 1])) && (end == code.size() || !part_of_name(code[end]))) return true;
  }
  return false;
}

messages::expected<messages::task> read_task(const fs::path& file, const task_options& options) {
  auto code = read_file(
      {.path = file, .what = "task", .limit_bytes = options.limit_bytes, .of_folders = "name one Python file in it"});
  if (!code) return tl::unexpected{code.error()};
  return with_dtype({.name = file.stem().string(), .code = *std::move(code), .overrides = options.overrides},
                    options.dtype);
}

messages::task with_dtype(messages::task x, std::optional<messages::dtype> wanted) {
  x.dtype = wanted.value_or(messages::task{}.dtype);
  x.own_dtype = !wanted;
  return x;
}

messages::expected<std::optional<messages::dtype>> parse_dtype(const std::string& name) {
  if (name.empty()) return std::nullopt;
  messages::dtype x{};
  if (parse_scalar(name, x)) return x;
  return fail(failure_code::bad_input, "--dtype: no dtype is called " + in_quotes(name) + "; give "
                                           + noun<messages::dtype>() + " (or fp32, fp16, bf16, fp64)");
}

}  // namespace configs
