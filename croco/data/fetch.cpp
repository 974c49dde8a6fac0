// SPDX-License-Identifier: Apache-2.0
#include <croco/data/fetch.hpp>

#include <exception>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/http_client.hpp>
#include <croco/data/url.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;

/// Why one URL gave no file. `local`: the fault is on this side, other URLs would not help.
struct Failure {
  std::string reason;
  bool local = false;
};

/// Creates a folder with its parents; unless kept, removes again the ones that it created.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& folder) {
    std::error_code error;
    for (fs::path missing = fs::absolute(folder); !fs::exists(missing, error) && !error;
         missing = missing.parent_path()) {
      created_.push_back(missing);
    }
    error.clear();
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder, error)) {
      remove();
      throw IoError(fmt::format("{}: cannot create this folder: {}", folder.string(),
                                error ? error.message() : "something else has its name"));
    }
  }
  ~NewFolder() { remove(); }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() noexcept { created_.clear(); }

 private:
  void remove() noexcept {
    // Removing a folder that somebody else has used meanwhile fails, as it should.
    std::error_code ignored;
    for (const fs::path& folder : created_) fs::remove(folder, ignored);
  }

  std::vector<fs::path> created_;
};

/// One attempt at one URL, redirects included.
class Transfer {
 public:
  Transfer(const CatalogEntry& entry, const FetchOptions& options, const fs::path& target)
      : entry_(entry), options_(options), file_(target) {}

  /// The reason when there is no file; throws only what the progress callback throws.
  std::optional<Failure> run(HttpClient& client, const std::string& url) {
    if (!parse_url(url)) {
      return Failure{"not a URL that starts with https:// or http://, without a user name"};
    }
    HttpRequest request{.url = url};
    request.connect_seconds = static_cast<double>(options_.timeout.count());
    request.total_seconds = static_cast<double>(options_.total.count());
    request.silence_seconds = options_.timeout.count();
    request.max_bytes = options_.max_bytes;
    request.max_redirects = kMaxRedirects;
    request.on_head = [this](int status, std::optional<std::uintmax_t> length) {
      total_ = length.value_or(0);
      return status == 200;
    };
    request.on_piece = [this](std::string_view piece) { return on_piece(piece); };
    request.stop = options_.stop;
    const HttpResult result = client.send(request);
    if (result.end == HttpEnd::stopped) return Failure{"cancelled", true};
    if (failure_) return failure_;
    if (result.end == HttpEnd::complete && result.status == 200) return finish();
    if (result.status != 200 &&
        (result.end == HttpEnd::complete || result.end == HttpEnd::refused)) {
      return Failure{fmt::format("HTTP {}{}", result.status,
                                 result.status / 100 == 3 ? " without a target" : "")};
    }
    return Failure{result.reason(request)};
  }

 private:
  /// False ends the transfer.
  bool on_piece(std::string_view bytes) {
    if (options_.stop.stop_requested()) return false;
    try {
      file_.write(bytes);
      digest_.update(bytes);
    } catch (const std::exception& error) {
      failure_ = Failure{error.what(), true};
      return false;
    }
    received_ += bytes.size();
    if (options_.progress) options_.progress(received_, total_);
    return true;
  }

  std::optional<Failure> finish() {
    if (const std::string digest = digest_.finish(); digest != entry_.sha256) {
      return Failure{fmt::format("the file is another one: its SHA-256 is {}, expected {}", digest,
                                 entry_.sha256)};
    }
    try {
      file_.commit();
    } catch (const IoError& error) {
      return Failure{error.what(), true};
    }
    return std::nullopt;
  }

  const CatalogEntry& entry_;
  const FetchOptions& options_;
  AtomicFile file_;
  Sha256 digest_;
  std::uintmax_t received_ = 0;
  std::uintmax_t total_ = 0;
  std::optional<Failure> failure_;
};

void validate(const CatalogEntry& entry, const FetchOptions& options) {
  if (entry.embedded) {
    throw InvalidArgument(
        fmt::format("data set '{}': it is part of croco, there is nothing to fetch", entry.name));
  }
  if (entry.urls.empty() && options.urls.empty()) {
    throw InvalidArgument(fmt::format("data set '{}': no URL to fetch it from", entry.name));
  }
  if (options.timeout <= std::chrono::seconds::zero()) {
    throw InvalidArgument(
        fmt::format("timeout: {} s is not greater than 0", options.timeout.count()));
  }
  if (options.total <= std::chrono::seconds::zero()) {
    throw InvalidArgument(fmt::format("total: {} s is not greater than 0", options.total.count()));
  }
  if (options.max_bytes == 0) throw InvalidArgument("max_bytes: 0 is not greater than 0");
}

bool is_complete(const CatalogEntry& entry, const FetchOptions& options, const fs::path& target) {
  std::error_code error;
  const std::uintmax_t size = fs::is_regular_file(target, error) ? fs::file_size(target, error) : 0;
  return !error && size > 0 && size <= options.max_bytes &&
         sha256(read_file(target, options.max_bytes)) == entry.sha256;
}

}  // namespace

fs::path fetch(const CatalogEntry& entry, const FetchOptions& options) {
  validate(entry, options);
  const fs::path folder = options.folder.empty() ? cache_folder() : options.folder;
  fs::path target = folder / entry.file;
  if (is_complete(entry, options, target)) return target;

  NewFolder new_folder(folder);
  HttpClient client;
  std::string failures;
  for (const std::string& url : options.urls.empty() ? entry.urls : options.urls) {
    if (options.stop.stop_requested()) break;
    const std::optional<Failure> failure = Transfer(entry, options, target).run(client, url);
    if (!failure) {
      new_folder.keep();
      return target;
    }
    failures += fmt::format("\n  {}: {}", shown_url(url), failure->reason);
    if (failure->local) break;
  }
  if (options.stop.stop_requested()) {
    throw IoError(fmt::format("data set '{}': the download was cancelled", entry.name));
  }
  throw IoError(
      fmt::format("data set '{}': {} could not be fetched:{}\nIt may be put into {} by hand.",
                  entry.name, entry.file, failures, folder.string()));
}

}  // namespace croco
