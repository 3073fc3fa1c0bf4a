#include "devices/worker/cuda_native/cubin.hpp"

#include <doctest/doctest.h>

#include <elf.h>
#include <algorithm>
#include <cstring>
#include <map>

#include "tests/devices/worker/cuda_native/samples.hpp"
#include "tests/support/random_values.hpp"

namespace cubin_test {

using devices::worker::cuda::cubin;
using tests::kernels_cubin;

namespace {

std::string refusal_of_image(const wire::bytes& content) {
  auto x = cubin::read(content);
  return x ? "" : x.error();
}

Elf64_Ehdr header_of(const wire::bytes& content) {
  Elf64_Ehdr x;
  std::memcpy(&x, content.data(), sizeof(x));
  return x;
}

void put(wire::bytes& content, const Elf64_Ehdr& x) { std::memcpy(content.data(), &x, sizeof(x)); }

/// The section's header, changed by `change`.
template <class F>
void change_section(wire::bytes& content, std::uint32_t type, F change) {
  auto header = header_of(content);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    auto at = content.data() + header.e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof(section));
    if (section.sh_type != type) continue;
    change(section);
    std::memcpy(at, &section, sizeof(section));
  }
}

/// All places of a text get another of the same length.
wire::bytes renamed(wire::bytes content, std::string_view from, std::string_view to) {
  auto same = [](std::byte a, char b) { return a == static_cast<std::byte>(b); };
  for (auto at = content.begin();; ++at) {
    at = std::search(at, content.end(), from.begin(), from.end(), same);
    if (at == content.end()) return content;
    std::transform(to.begin(), to.end(), at, [](char c) { return static_cast<std::byte>(c); });
  }
}

}  // namespace

TEST_CASE("kernels of a binary are found with the sizes of their parameters") {
  auto content = kernels_cubin();
  auto x = cubin::read(content);
  REQUIRE(x.has_value());
  CHECK(x->parameters("saxpy").value() == std::vector<std::uint32_t>{8, 8, 8, 4, 4});
  CHECK(x->parameters("softmax").value() == std::vector<std::uint32_t>{8, 16, 4});
  CHECK(x->parameters("count").value() == std::vector<std::uint32_t>{8});
  CHECK(x->parameters("gone").error() == "has no kernel gone");
}

TEST_CASE("variables of a binary are found with their sizes") {
  auto content = kernels_cubin();
  auto x = cubin::read(content);
  REQUIRE(x.has_value());
  std::map<std::string_view, std::uint64_t> sizes;
  for (const auto& one : x->variables()) sizes[one.name] = one.bytes;
  CHECK(sizes == std::map<std::string_view, std::uint64_t>{{"calls", 4}, {"offsets", 16}, {"$str", 23}});
}

TEST_CASE("what is no binary for a device is refused") {
  auto content = kernels_cubin();
  auto header = header_of(content);
  CHECK(refusal_of_image({}) == "is no ELF file");
  CHECK(refusal_of_image(wire::bytes(1000)) == "is no ELF file");
  SUBCASE("another machine") {
    header.e_machine = EM_X86_64;
    put(content, header);
    CHECK(refusal_of_image(content) == "is no program for a CUDA device");
  }
  SUBCASE("sections behind the end") {
    header.e_shoff = UINT64_MAX - 8;
    put(content, header);
    CHECK(refusal_of_image(content) == "has sections outside of the file");
  }
  SUBCASE("a section behind the end") {
    change_section(content, SHT_STRTAB, [](auto& x) { x.sh_offset = UINT64_MAX; });
    CHECK(refusal_of_image(content) == "has a section outside of the file");
  }
  SUBCASE("cut") {
    content.resize(content.size() / 2);
    CHECK(refusal_of_image(content) != "");
  }
}

TEST_CASE("a variable that no symbol names is refused, since nobody could restore it") {
  auto content = kernels_cubin();
  change_section(content, SHT_SYMTAB, [](auto& x) { x.sh_size = 0; });
  CHECK_MESSAGE(refusal_of_image(content) == "", "few bytes may be padding");
  change_section(content, SHT_PROGBITS, [&](auto& x) {
    if (x.sh_flags == (SHF_WRITE | SHF_ALLOC)) x.sh_size = 256;
  });
  CHECK(refusal_of_image(content) == "has variables that no symbol names");
}

TEST_CASE("a binary that calls what keeps a state on the device is refused") {
  auto content = kernels_cubin();
  change_section(content, SHT_SYMTAB, [&](auto& x) {
    Elf64_Sym symbol;
    auto last = content.data() + x.sh_offset + x.sh_size - sizeof(symbol);
    std::memcpy(&symbol, last, sizeof(symbol));
    symbol.st_shndx = SHN_UNDEF;
    std::memcpy(last, &symbol, sizeof(symbol));
  });
  CHECK(refusal_of_image(content).ends_with(", which can't be judged"));
}

TEST_CASE("names that never end are no names") {
  auto content = renamed(kernels_cubin(), std::string_view{"saxpy\0", 6}, "saxpyX");
  auto x = cubin::read(content);
  REQUIRE(x.has_value());
  CHECK(x->parameters("saxpy").error() == "has no kernel saxpy");
}

TEST_CASE("a binary that is damaged where its tables are is refused or read, and nothing outside of it is") {
  auto whole = kernels_cubin();
  auto header = header_of(whole);
  tests::random_values random{3};
  std::size_t accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    auto content = whole;
    for (auto n = 1 + random.below(3); n > 0; --n) {
      auto table = random.below(4) == 0 ? 0 : header.e_shoff;
      auto at = table + random.below(table == 0 ? 0x1400 : content.size() - table);  // names, symbols, parameters
      content[at] = static_cast<std::byte>(random.below(4) == 0 ? 0xff : random.below(256));
    }
    auto x = cubin::read(content);
    if (!x) continue;
    ++accepted;
    for (auto name : {"saxpy", "softmax", "count"})
      if (auto sizes = x->parameters(name)) CHECK(sizes->size() <= cubin::most_parameters);
  }
  CHECK(accepted > 0);
  CHECK(accepted < 4000);
}

}  // namespace cubin_test
