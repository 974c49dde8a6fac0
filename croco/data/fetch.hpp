// SPDX-License-Identifier: Apache-2.0
/// Fetches a data set of the catalogue over HTTPS or HTTP. The file appears complete and verified,
/// or not at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <croco/data/catalog.hpp>

namespace croco {

/// How many redirects are followed for one URL.
inline constexpr int kMaxRedirects = 5;

struct FetchOptions {
  std::vector<std::string> urls;  ///< in place of the entry's own, tried in this order
  std::filesystem::path folder;   ///< created when missing; empty: `cache_folder()`
  /// The longest time until the connection stands, without an answer, or with fewer than
  /// `kSlowestBody` bytes per second of it; > 0.
  std::chrono::seconds timeout{30};
  std::chrono::seconds total{3600};                      ///< the longest time for one URL; > 0
  std::uintmax_t max_bytes = std::uintmax_t{256} << 20;  ///< larger files are refused; > 0
  /// Called after every piece with the bytes so far and the bytes in all, 0 when unknown. What it
  /// throws ends the download and reaches the caller.
  std::function<void(std::uintmax_t done, std::uintmax_t total)> progress;
  std::stop_token stop;
};

/// Downloads `entry.file` into the folder and returns its path. A file that is already there with
/// the right SHA-256 is kept; any other is replaced at the very end. Certificates are verified, a
/// redirect never leads from HTTPS to HTTP, and proxies are those of the environment.
///
/// Throws InvalidArgument for an embedded entry, an entry without a URL and options out of range.
/// Throws IoError when every URL failed (saying how each did), when the folder cannot be written,
/// and when `stop` was requested; the folder is then as it was before.
std::filesystem::path fetch(const CatalogEntry& entry, const FetchOptions& options = {});

}  // namespace croco
