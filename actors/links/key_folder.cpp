#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "actors/links/keys.hpp"
#include "configs/bounded_file.hpp"
#include "messages/wire/wire.hpp"

namespace actors::links {

namespace fs = std::filesystem;
using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

constexpr auto own_file = "coordinator.secret";
constexpr auto node_suffix = ".node";
constexpr std::size_t longest_file = 4096;

/// Between two looks into the folder for unknown keys.
constexpr std::chrono::milliseconds look_again{250};

auto storage(const std::string& what, const fs::path& file) {
  return fail(failure_code::storage, what + ' ' + file.string() + ": " + std::generic_category().message(errno));
}

bool is_name(const std::string& x) {
  auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
  return !x.empty() && x.size() <= 40 && std::all_of(x.begin(), x.end(), good) && x != "coordinator";
}

/// Whole or not at all, and never over another one.
expected<void> write_new(const fs::path& file, const std::string& text) {
  auto draft = file.string() + ".new" + std::to_string(::getpid());
  int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return storage("cannot write", file);
  bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  ::close(fd);
  bool linked = written && ::link(draft.c_str(), file.c_str()) == 0;
  auto result = linked ? expected<void>{} : expected<void>{storage("cannot write", file)};
  ::unlink(draft.c_str());
  return result;
}

}  // namespace

fs::path key_folder::file_of(const messages::node_name& name) const { return folder_ / (name.value + node_suffix); }

expected<messages::key_file> key_folder::read(const fs::path& file) const {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return fail(failure_code::not_found, "there is no key " + file.string());
  if ((about.st_mode & 077) != 0)
    return fail(failure_code::unreadable, "others may read the key " + file.string() + ": chmod 600 it");
  auto text =
      configs::read_file({.path = file, .what = "key", .limit_bytes = longest_file, .code = failure_code::unreadable});
  if (!text) return tl::unexpected{text.error()};
  auto x = wire::from_json<messages::key_file>(*text);
  if (!x) return fail(failure_code::unreadable, file.string() + " is no key: " + to_string(x.error()));
  auto pair = pair_of(x->secret);
  if (!pair || pair->open != x->open) return fail(failure_code::unreadable, file.string() + " holds no pair of keys");
  return *std::move(x);
}

expected<key_pair> key_folder::write(const messages::node_name& name, const fs::path& file) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fail(failure_code::storage, "cannot make " + folder_.string() + ": " + error.message());
  ::chmod(folder_.c_str(), 0700);
  auto keys = make_key_pair();
  messages::key_file content{.name = name, .open = keys.open, .secret = keys.secret};
  if (auto done = write_new(file, wire::to_json(content, {.indent = 2}) + '\n'); !done)
    return tl::unexpected{done.error()};
  return keys;
}

expected<key_pair> key_folder::own() const {
  auto file = folder_ / own_file;
  auto known = read(file);
  if (known) return key_pair{known->open, known->secret};
  if (known.error().code != failure_code::not_found) return tl::unexpected{known.error()};
  auto made = write({"coordinator"}, file);
  if (made || !fs::exists(file)) return made;
  auto others = read(file);  // another process made it just now
  if (!others) return tl::unexpected{others.error()};
  return key_pair{others->open, others->secret};
}

expected<key_pair> key_folder::make(const messages::node_name& name) const {
  if (!is_name(name.value))
    return fail(failure_code::bad_input, '"' + name.value.substr(0, 80)
                                             + "\" can't be a node's name: at most 40 letters, digits, \"-\" and "
                                               "\"_\", and not \"coordinator\"");
  auto file = file_of(name);
  std::error_code ignored;
  if (fs::exists(file, ignored))
    return fail(failure_code::bad_input, "there is a key for " + name.value + " already, " + file.string()
                                             + ": print its token with `kernelmesh certs token " + name.value
                                             + "`, or remove the file to shut its nodes out");
  return write(name, file);
}

expected<key_pair> key_folder::find(const messages::node_name& name) const {
  if (!is_name(name.value) || !fs::exists(file_of(name)))
    return fail(failure_code::not_found,
                "there is no key for \"" + name.value.substr(0, 80) + "\": make it with `kernelmesh certs new NAME`");
  auto known = read(file_of(name));
  if (!known) return tl::unexpected{known.error()};
  return key_pair{known->open, known->secret};
}

std::map<messages::public_key, messages::node_name> key_folder::nodes() const {
  std::map<messages::public_key, messages::node_name> all;
  std::error_code error;
  for (fs::directory_iterator at{folder_, error}, end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != node_suffix || !is_name(at->path().stem().string())) continue;
    if (auto x = read(at->path())) all[x->open] = {at->path().stem().string()};
  }
  return all;
}

std::function<std::optional<messages::node_name>(const messages::public_key&)> admission_by(key_folder folder) {
  using clock = std::chrono::steady_clock;
  struct known_keys {
    std::map<messages::public_key, messages::node_name> nodes;
    std::optional<clock::time_point> read_at;
  };
  auto known = std::make_shared<known_keys>();
  return [folder = std::move(folder), known](const messages::public_key& key) -> std::optional<messages::node_name> {
    auto now = clock::now();
    if (!known->read_at || now - *known->read_at >= look_again) {
      known->nodes = folder.nodes();
      known->read_at = now;
    }
    auto found = known->nodes.find(key);
    return found != known->nodes.end() ? std::optional{found->second} : std::nullopt;
  };
}

}  // namespace actors::links
