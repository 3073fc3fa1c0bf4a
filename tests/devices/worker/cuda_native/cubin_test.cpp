#include "devices/worker/cuda_native/cubin.hpp"

#include <doctest/doctest.h>

#include <elf.h>
#include <algorithm>
#include <cstring>

#include "tests/devices/worker/cuda_native/samples.hpp"

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
  REQUIRE(x->variables().size() == 1);
  CHECK(x->variables()[0].name == "calls");
  CHECK(x->variables()[0].bytes == 4);
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
  auto said = refusal_of_image(content);
  CHECK_MESSAGE(said == "", "4 bytes may be padding");
  auto header = header_of(content);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    auto at = content.data() + header.e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof(section));
    section.sh_type = section.sh_type == SHT_NOBITS ? SHT_NOBITS : section.sh_type;
    if (section.sh_type == SHT_PROGBITS && section.sh_size == 4) section.sh_type = SHT_NOBITS, section.sh_size = 1024;
    std::memcpy(at, &section, sizeof(section));
  }
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

}  // namespace cubin_test
