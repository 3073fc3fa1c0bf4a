#include "dsl/triton/kernel.hpp"

#include <algorithm>

#include "dsl/launch_program.hpp"

namespace dsl::triton {

namespace {

constexpr std::int64_t most_programs = INT32_MAX;

std::string in_quotes(const std::string& x) { return '"' + x + '"'; }

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& x : all) text += (text.empty() ? "" : ", ") + x;
  return text;
}

/// Two empty lines before what stands at the margin, none inside of a function: sections of templates leave some.
std::string tidy(const std::string& text) {
  std::string out;
  bool gap = false;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    auto line = std::string_view{text}.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(' ') == std::string_view::npos) {
      gap = true;
      continue;
    }
    if (gap && line.front() != ' ') out += "\n\n";
    gap = false;
    out.append(line) += '\n';
  }
  return out;
}

}  // namespace

std::string kernel::parameters() const {
  std::string text;
  for (const auto& x : pointers) text += (text.empty() ? "" : ", ") + x.name;
  for (const auto& [name, value] : constants) text += (text.empty() ? "" : ", ") + name + ": tl.constexpr";
  return text;
}

template_data kernel::entry() const {
  std::vector<std::string> signature, aligned, numbers;
  for (const auto& x : pointers) {
    signature.push_back(in_quotes(x.name) + ": " + in_quotes(x.type));
    aligned.push_back(in_quotes(x.name));
  }
  for (const auto& [name, value] : constants) {
    signature.push_back(in_quotes(name) + ": \"constexpr\"");
    numbers.push_back(in_quotes(name) + ": " + std::to_string(value));
  }
  template_data data;
  data.set("function", name);
  data.set("parameters", parameters());
  data.set("signature", '{' + joined(signature) + '}');
  data.set("constants", '{' + joined(numbers) + '}');
  data.set("aligned", '[' + joined(aligned) + ']');
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
  auto text = render(files.template_text, data, (files.folder / files.manifest.template_file).string());
  return text ? messages::expected<std::string>{tidy(*text)} : text;
}

}  // namespace dsl::triton
