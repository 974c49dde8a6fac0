// SPDX-License-Identifier: Apache-2.0
#include <apps/server/access_log.hpp>

#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace croco::server {

std::string access_line(const AccessLine& line) {
  // Routes and methods are names of this program or one word of letters: nothing to escape.
  const auto now = std::chrono::system_clock::now();
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  const auto fraction = std::chrono::duration_cast<std::chrono::milliseconds>(now - whole).count();
  return fmt::format(
      R"({{"time":"{:%Y-%m-%dT%H:%M:%S}.{:03}Z","method":"{}","route":"{}","status":{},)"
      R"("bytes":{},"milliseconds":{:.3f},"end":"{}"}})",
      fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), fraction, line.method, line.route,
      line.status, line.bytes, line.milliseconds, line.end);
}

}  // namespace croco::server
