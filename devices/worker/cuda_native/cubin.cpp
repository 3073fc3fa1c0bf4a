#include "devices/worker/cuda_native/cubin.hpp"

#include <elf.h>
#include <algorithm>
#include <cstring>
#include <optional>

namespace devices::worker::cuda {

namespace {

using status = expected<void>;
using bytes = wire::bytes_view;

constexpr std::uint16_t machine_cuda = 190;
constexpr std::uint64_t largest_padding = 256;
constexpr std::string_view code_prefix = ".text.", info_prefix = ".nv.info.";

template <class T>
std::optional<T> value_at(bytes x, std::uint64_t at) {
  if (at > x.size() || x.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, x.data() + at, sizeof(T));
  return value;
}

std::optional<bytes> part_of(bytes x, std::uint64_t at, std::uint64_t size) {
  if (at > x.size() || size > x.size() - at) return std::nullopt;
  return x.subspan(at, size);
}

/// Up to its NUL; nothing if it is too long.
std::string_view text_at(bytes table, std::uint64_t at) {
  if (at >= table.size()) return {};
  auto begin = reinterpret_cast<const char*>(table.data()) + at;
  auto room = std::min<std::uint64_t>(table.size() - at, cubin::longest_name + 1);
  auto length = strnlen(begin, room);
  return length < room ? std::string_view{begin, length} : std::string_view{};
}

bool keeps_variables(std::string_view section) {
  return section.starts_with(".nv.global") || section.starts_with(".nv.constant3");
}

/// What is not in the file and leaves nothing behind which a later call could use.
bool may_be_absent(std::string_view name) {
  return name.empty() || name.starts_with(".nv.reservedSmem") || name == "vprintf" || name == "__assertfail";
}

}  // namespace

// -- the file ---------------------------------------------------------------------------------------------------------

class cubin_reader {
public:
  explicit cubin_reader(bytes content) : content_(content) {}

  expected<cubin> read() {
    if (auto ok = read_header(); !ok) return failed(ok.error());
    for (auto step : {&cubin_reader::read_kernels, &cubin_reader::read_symbols, &cubin_reader::check_variables})
      if (auto ok = (this->*step)(); !ok) return failed(ok.error());
    return std::move(found_);
  }

private:
  struct range {
    std::uint64_t begin, end;
  };

  status read_header() {
    auto header = value_at<Elf64_Ehdr>(content_, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return failed("is no ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
      return failed("is no ELF file of 64 bits, lowest byte first");
    if (header->e_machine != machine_cuda) return failed("is no program for a CUDA device");
    auto table = part_of(content_, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
    if (!table || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shstrndx >= header->e_shnum)
      return failed("has sections outside of the file");
    sections_.resize(header->e_shnum);
    std::memcpy(sections_.data(), table->data(), table->size());
    for (const auto& x : sections_)
      if (x.sh_type != SHT_NOBITS && !part_of(content_, x.sh_offset, x.sh_size))
        return failed("has a section outside of the file");
    names_ = content_of(sections_[header->e_shstrndx]);
    return {};
  }

  bytes content_of(const Elf64_Shdr& x) const {
    return x.sh_type == SHT_NOBITS ? bytes{} : content_.subspan(x.sh_offset, x.sh_size);
  }
  std::string_view name_of(const Elf64_Shdr& x) const { return text_at(names_, x.sh_name); }

  status read_kernels() {
    for (const auto& x : sections_)
      if (auto name = name_of(x); name.starts_with(code_prefix)) found_.kernels_[name.substr(code_prefix.size())] = {};
    if (found_.kernels_.size() > cubin::most) return failed("has too many kernels");
    for (const auto& x : sections_)
      if (auto name = name_of(x); name.starts_with(info_prefix))
        if (auto kernel = found_.kernels_.find(name.substr(info_prefix.size())); kernel != found_.kernels_.end())
          kernel->second = content_of(x);
    return {};
  }

  status read_symbols() {
    auto table = std::find_if(sections_.begin(), sections_.end(), [](auto& x) { return x.sh_type == SHT_SYMTAB; });
    if (table == sections_.end()) return {};
    if (table->sh_link >= sections_.size()) return failed("has symbols without names");
    auto symbols = content_of(*table), names = content_of(sections_[table->sh_link]);
    for (std::uint64_t at = 0; auto symbol = value_at<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym))
      if (auto ok = read_symbol(*symbol, text_at(names, symbol->st_name)); !ok) return ok;
    return {};
  }

  status read_symbol(const Elf64_Sym& x, std::string_view name) {
    if (x.st_shndx == SHN_UNDEF)
      return may_be_absent(name) ? status{} : failed("calls " + std::string{name} + ", which can't be judged");
    if (ELF64_ST_TYPE(x.st_info) != STT_OBJECT || x.st_shndx >= sections_.size()) return {};
    if (!keeps_variables(name_of(sections_[x.st_shndx])) || x.st_size == 0 || name.empty()) return {};
    if (found_.variables_.size() == cubin::most) return failed("has too many variables");
    if (x.st_size > UINT64_MAX - x.st_value) return failed("has a variable that is beyond counting");
    found_.variables_.push_back({name, x.st_size});
    named_[x.st_shndx].push_back({x.st_value, x.st_value + x.st_size});
    return {};
  }

  status check_variables() {
    for (std::size_t i = 0; i < sections_.size(); ++i)
      if (keeps_variables(name_of(sections_[i])) && !is_covered(named_[i], sections_[i].sh_size))
        return failed("has variables that no symbol names");
    return {};
  }

  /// But for what aligns the next one.
  static bool is_covered(std::vector<range>& named, std::uint64_t size) {
    std::sort(named.begin(), named.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
    std::uint64_t end = 0;
    for (const auto& x : named) {
      if (x.begin > end && x.begin - end >= largest_padding) return false;
      end = std::max(end, x.end);
    }
    return end >= size || size - end < largest_padding;
  }

  bytes content_, names_;
  std::vector<Elf64_Shdr> sections_;
  std::map<std::size_t, std::vector<range>> named_;  ///< by section
  cubin found_;
};

// -- what is asked of it ----------------------------------------------------------------------------------------------

namespace {

/// EIATTR_KPARAM_INFO: u32 index, u16 ordinal, u16 offset, u32 with the size in bits 18 to 31.
struct parameter_entry {
  std::uint32_t index;
  std::uint16_t ordinal, offset;
  std::uint32_t word;
};

}  // namespace

expected<cubin> cubin::read(wire::bytes_view content) { return cubin_reader{content}.read(); }

/// Entries of .nv.info: u8 format, u8 attribute; then two bytes, or in format 4 a u16 size and so many bytes.
expected<std::vector<std::uint32_t>> cubin::parameters(std::string_view kernel) const {
  constexpr std::uint8_t sized = 4, parameter = 0x17;
  struct entry {
    std::uint8_t format, attribute;
    std::uint16_t size;
  };
  auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return failed("has no kernel " + std::string{kernel.substr(0, 200)});
  std::map<std::uint16_t, std::uint32_t> sizes;
  for (std::uint64_t at = 0; auto head = value_at<entry>(found->second, at); at += sizeof(entry)) {
    if (head->format != sized) continue;
    if (!part_of(found->second, at + sizeof(entry), head->size)) return failed("has a kernel with broken parameters");
    auto one = value_at<parameter_entry>(found->second, at + sizeof(entry));
    if (head->attribute == parameter && head->size >= sizeof(parameter_entry)) sizes[one->ordinal] = one->word >> 18;
    at += head->size;
  }
  if (sizes.size() > most_parameters || (!sizes.empty() && sizes.rbegin()->first != sizes.size() - 1))
    return failed("has a kernel with broken parameters");
  std::vector<std::uint32_t> result;
  for (auto [ordinal, size] : sizes) result.push_back(size);
  return result;
}

}  // namespace devices::worker::cuda
