#include "dsl/triton/kernel.hpp"

#include <algorithm>

#include "dsl/launch_program.hpp"

namespace dsl::triton {

namespace {

constexpr std::int64_t most_programs = INT32_MAX;

}  // namespace

std::string kernel::parameters() const {
  std::string text;
  for (const auto& x : pointers) text += (text.empty() ? "" : ", ") + x.name;
  for (const auto& [name, value] : constants) text += (text.empty() ? "" : ", ") + name + ": tl.constexpr";
  return text;
}

template_data kernel::entry() const {
  auto all = template_list();
  for (const auto& x : pointers) {
    template_data one;
    one.set("pointer", x.name);
    one.set("type", x.type);
    all << one;
  }
  auto numbers = template_list();
  for (const auto& [name, value] : constants) {
    template_data one;
    one.set("constant", name);
    one.set("value", std::to_string(value));
    numbers << one;
  }
  template_data data;
  data.set("function", name);
  data.set("parameters", parameters());
  data.set("pointers", all);
  data.set("constants", numbers);
  data.set("warps", std::to_string(warps));
  data.set("stages", std::to_string(stages));
  return data;
}

messages::expected<messages::launch_operation> kernel::launch() const {
  if (programs > most_programs)
    return messages::fail(messages::failure_code::bad_input, name + " needs more programs than a grid has");
  messages::kernel_launch x;
  x.kernel = name;
  x.grid.x = static_cast<std::uint32_t>(std::max<std::int64_t>(programs, 1));
  x.block.x = static_cast<std::uint32_t>(32 * warps);
  for (const auto& pointer : pointers)
    x.parameters.push_back(pointer_to(pointer.place.buffer, pointer.place.index, pointer.place.offset));
  return x;
}

messages::expected<std::string> render_kernel(const recipe_files& files, template_data data) {
  add_partials(data, files.partials);
  return render(files.template_text, data, (files.folder / files.manifest.template_file).string());
}

}  // namespace dsl::triton
