#include "devices/sandbox/spec.hpp"

#include <map>

namespace devices::sandbox {

namespace {

expected<void> take(spec& to, const std::string& word, const std::string& path) {
  const std::map<std::string, bool*> flags{{"keep-caps", &to.keep_capabilities},
                                           {"processes", &to.processes},
                                           {"exec", &to.exec},
                                           {"profiler", &to.profiler}};
  if (auto flag = flags.find(word); flag != flags.end() && path.empty()) {
    *flag->second = true;
    return {};
  }
  const std::map<std::string, std::vector<std::string>*> lists{
      {"ro", &to.readable}, {"dev", &to.devices}, {"own", &to.own}, {"rw", &to.writable}};
  auto list = lists.find(word);
  if ((list == lists.end() && word != "candidate") || !path.starts_with('/') || path.find("/..") != path.npos)
    return tl::unexpected{"a sandbox has no item \"" + word + (path.empty() ? "" : " " + path) + '"'};
  if (list == lists.end())
    to.candidate = path;
  else
    list->second->push_back(path);
  return {};
}

}  // namespace

expected<spec> parse(std::string_view text) {
  spec x;
  while (!text.empty()) {
    auto end = text.find('\n');
    std::string line{text.substr(0, end)};
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.empty()) continue;
    auto space = line.find(' ');
    auto path = space == line.npos ? std::string{} : line.substr(space + 1);
    if (auto taken = take(x, line.substr(0, space), path); !taken) return tl::unexpected{taken.error()};
  }
  return x;
}

std::string to_text(const spec& x) {
  std::string text;
  for (const auto& path : x.readable) text += "ro " + path + '\n';
  for (const auto& path : x.devices) text += "dev " + path + '\n';
  for (const auto& path : x.own) text += "own " + path + '\n';
  for (const auto& path : x.writable) text += "rw " + path + '\n';
  if (!x.candidate.empty()) text += "candidate " + x.candidate + '\n';
  if (x.keep_capabilities) text += "keep-caps\n";
  if (x.processes) text += "processes\n";
  if (x.exec) text += "exec\n";
  if (x.profiler) text += "profiler\n";
  return text;
}

}  // namespace devices::sandbox
