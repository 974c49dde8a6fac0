// SPDX-License-Identifier: Apache-2.0
#include <croco/base/machine.hpp>

#include <charconv>
#include <fstream>
#include <sched.h>
#include <string_view>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace croco {
namespace {

/// The text behind a key of a file of lines such as `MemTotal:  16384 kB` or `NAME="x"`; empty when
/// there is none. These files are small and written by the system.
std::string value_of(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? std::string() : line.substr(begin, end - begin + 1);
  }
  return {};
}

std::optional<std::size_t> kilobytes_of(std::string_view key) {
  const std::string text = value_of("/proc/meminfo", key, ':');
  std::size_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number * 1024;
}

std::optional<std::size_t> cache_size([[maybe_unused]] int name) {
  const long bytes = ::sysconf(name);
  return bytes > 0 ? std::optional(static_cast<std::size_t>(bytes)) : std::nullopt;
}

std::size_t usable_cores() {
#ifdef __linux__
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&set));
  }
#endif
  return std::thread::hardware_concurrency();
}

std::string system_text() {
  std::string out = value_of("/etc/os-release", "PRETTY_NAME", '=');
  utsname names{};
  if (::uname(&names) != 0) return out;
  const std::string kernel = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  return out.empty() ? kernel : fmt::format("{}, {}", out, kernel);
}

}  // namespace

Machine this_machine() {
  Machine out{.system = system_text(),
              .processor = value_of("/proc/cpuinfo", "model name", ':'),
              .cores = usable_cores(),
              .memory = kilobytes_of("MemTotal"),
              .memory_available = kilobytes_of("MemAvailable"),
              .level1_cache = {},
              .level2_cache = {},
              .level3_cache = {}};
#ifdef _SC_LEVEL1_DCACHE_SIZE
  out.level1_cache = cache_size(_SC_LEVEL1_DCACHE_SIZE);
  out.level2_cache = cache_size(_SC_LEVEL2_CACHE_SIZE);
  out.level3_cache = cache_size(_SC_LEVEL3_CACHE_SIZE);
#endif
  return out;
}

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace croco
