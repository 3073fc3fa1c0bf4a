#include <unistd.h>
#include <iostream>

#include "actors/cli/commands.hpp"
#include "actors/cli/place.hpp"
#include "actors/cli/program.hpp"
#include "actors/links/link_options.hpp"
#include "messages/wire/wire.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// The system config and its state folder's keys.
struct keys_place {
  system_place at;
  links::key_folder keys;
};

expected<keys_place> open_keys(const common_options& common) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto at = open_system(*where, common);
  if (!at) return tl::unexpected{at.error()};
  auto folder = certs_folder(at->state);
  return keys_place{*std::move(at), links::key_folder{folder}};
}

std::string host_name() {
  char name[256]{};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

/// Nobody dials "all networks".
std::string dialled(const std::string& endpoint) {
  auto colon = endpoint.rfind(':');
  auto host = endpoint.substr(0, colon);
  bool all = host == "tcp://0.0.0.0" || host == "tcp://*" || host == "tcp://[::]";
  return all ? "tcp://" + host_name() + endpoint.substr(colon) : endpoint;
}

expected<std::string> address_of(const certs_options& options, const configs::system_config& config) {
  auto address = options.address.empty() ? config.listen.address : options.address;
  if (address.empty())
    return fail(
        failure_code::bad_input,
        "--address is missing: say where nodes reach this machine, such as --address 10.0.0.1:7400; it is where "
        "the run's `listen` says");
  auto endpoint = links::endpoint_of(address);
  if (!endpoint) return fail(failure_code::bad_input, "--address: " + endpoint.error().detail);
  if (endpoint->ends_with(":*")) return fail(failure_code::bad_input, "--address: a token needs a port, not \"*\"");
  return dialled(*endpoint);
}

void print(const certs_document& document, const std::string& text, bool json) {
  std::cout << (json ? wire::to_json(document, {.indent = 2}) : text) << '\n';
}

}  // namespace

outcome certs_new(const common_options& common, const certs_options& options) {
  auto place = open_keys(common);
  if (!place) return tl::unexpected{place.error()};
  if (auto own = place->keys.own(); !own) return tl::unexpected{own.error()};
  auto made = place->keys.make({options.name});
  if (!made) return tl::unexpected{made.error()};
  auto file = place->keys.file_of({options.name}).string();
  certs_document document{.name = options.name, .public_key = made->open.value, .file = file};
  print(document, "key of " + options.name + ": " + file, common.json);
  std::cerr << hint("certs token " + options.name) << " prints what its nodes join with\n";
  return exit_code::done;
}

outcome certs_token(const common_options& common, const certs_options& options) {
  auto place = open_keys(common);
  if (!place) return tl::unexpected{place.error()};
  auto key = place->keys.find({options.name});
  if (!key) return tl::unexpected{key.error()};
  auto own = place->keys.own();
  if (!own) return tl::unexpected{own.error()};
  auto address = address_of(options, place->at.config);
  if (!address) return tl::unexpected{address.error()};
  auto token =
      links::token_of({.address = *address, .server = own->open, .name = {options.name}, .secret = key->secret});
  certs_document document{.name = options.name, .public_key = key->open.value, .token = token};
  document.file = place->keys.file_of({options.name}).string();
  print(document, token, common.json);
  return exit_code::done;
}

}  // namespace actors::cli
