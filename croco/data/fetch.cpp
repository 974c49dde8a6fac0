// SPDX-License-Identifier: Apache-2.0
#include <croco/data/fetch.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <httplib.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/sigpipe_block.hpp>
#include <croco/data/url.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Why one URL gave no file. `local`: the fault is on this side, other URLs would not help.
struct Failure {
  std::string reason;
  bool local = false;
};

/// Where a Location header leads from `base` (RFC 3986, section 5.2, without dot segments: servers
/// resolve those themselves).
std::optional<Url> resolve(const Url& base, const std::string& location) {
  if (location.find("://") < location.find_first_of("/?#")) return parse_url(location);
  if (location.starts_with("//")) {
    return parse_url((base.secure() ? "https:" : "http:") + location);
  }
  if (location.starts_with('/')) return parse_url(base.origin + location);
  const std::string path = base.target.substr(0, base.target.find('?'));
  if (location.starts_with('?')) return parse_url(base.origin + path + location);
  return parse_url(base.origin + path.substr(0, path.rfind('/') + 1) + location);
}

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

std::string byte_count(std::uintmax_t done, std::optional<std::uintmax_t> total) {
  return total ? fmt::format("{} of {} bytes", done, *total) : fmt::format("{} bytes", done);
}

/// One attempt at one URL, redirects included.
class Transfer {
 public:
  Transfer(const CatalogEntry& entry, const FetchOptions& options, const fs::path& target)
      : entry_(entry), options_(options), file_(target) {}

  /// The reason when there is no file; throws only what the progress callback throws.
  std::optional<Failure> run(const std::string& text) {
    std::optional<Url> url = parse_url(text);
    if (!url) return Failure{"not a URL that starts with https:// or http://"};
    for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
      std::optional<Failure> failure = request(*url);
      if (failure || location_.empty()) return failure;
      const std::optional<Url> next = resolve(*url, location_);
      if (!next) return Failure{fmt::format("redirects to '{}', which is no URL", location_)};
      if (url->secure() && !next->secure()) {
        return Failure{fmt::format("redirects from HTTPS to '{}'", location_)};
      }
      url = next;
    }
    return Failure{fmt::format("more than {} redirects", kMaxRedirects)};
  }

 private:
  std::optional<Failure> request(const Url& url) {
    status_ = 0;
    location_.clear();
    last_sign_ = Clock::now();
    httplib::Client client(url.origin);
    if (!client.is_valid()) return Failure{fmt::format("'{}' is no server", url.origin)};
    client.set_connection_timeout(options_.timeout);
    client.set_read_timeout(options_.timeout);
    client.set_write_timeout(options_.timeout);
    client.set_follow_location(false);  // httplib's own limit is fixed, and it allows downgrades
    client.set_decompress(false);
    client.set_url_encode(false);
    client.enable_server_certificate_verification(true);
    // Ends a read that waits; without it a stop would be noticed with the next piece only.
    const std::stop_callback interrupt(options_.stop, [&client] { client.stop(); });
    const httplib::Headers headers{{"Accept-Encoding", "identity"}, {"User-Agent", "croco"}};
    const httplib::Result result = client.Get(
        url.target, headers,
        [this](const httplib::Response& response) { return on_header(response); },
        [this](const char* data, std::size_t size) { return on_piece({data, size}); });
    if (callback_error_) std::rethrow_exception(callback_error_);
    if (options_.stop.stop_requested()) return Failure{"cancelled", true};
    if (failure_) return failure_;
    if (!location_.empty()) return std::nullopt;
    if (!result || (total_ && received_ != *total_)) return Failure{broken(result.error())};
    return finish();
  }

  /// False ends the transfer.
  bool on_header(const httplib::Response& response) {
    last_sign_ = Clock::now();
    status_ = response.status;
    constexpr std::array kRedirects{301, 302, 303, 307, 308};
    if (std::ranges::find(kRedirects, status_) != kRedirects.end()) {
      location_ = response.get_header_value("Location");
      if (location_.empty()) failure_ = Failure{fmt::format("HTTP {} without a target", status_)};
      return false;
    }
    if (status_ != 200) {
      failure_ = Failure{fmt::format("HTTP {}", status_)};
      return false;
    }
    const std::string length = response.get_header_value("Content-Length");
    std::uintmax_t total = 0;
    if (std::from_chars(length.data(), length.data() + length.size(), total).ec == std::errc{}) {
      total_ = total;
    }
    return fits(total);
  }

  bool on_piece(std::string_view bytes) {
    last_sign_ = Clock::now();
    if (options_.stop.stop_requested() || !fits(received_ + bytes.size())) return false;
    try {
      file_.write(bytes);
      digest_.update(bytes);
    } catch (const std::exception& error) {
      failure_ = Failure{error.what(), true};
      return false;
    }
    received_ += bytes.size();
    if (!options_.progress) return true;
    // An exception must not cross httplib, which holds locks and an open socket.
    try {
      options_.progress(received_, total_.value_or(0));
    } catch (...) {
      callback_error_ = std::current_exception();
    }
    return !callback_error_;
  }

  bool fits(std::uintmax_t size) {
    if (size <= options_.max_bytes) return true;
    failure_ = Failure{fmt::format("larger than the limit of {} bytes", options_.max_bytes)};
    return false;
  }

  std::string broken(httplib::Error error) const {
    const bool silent = Clock::now() - last_sign_ >= options_.timeout;
    if (status_ == 200) {
      return silent ? fmt::format("no data for {} s after {}", options_.timeout.count(),
                                  byte_count(received_, total_))
                    : "connection cut after " + byte_count(received_, total_);
    }
    switch (error) {
      case httplib::Error::Connection:
        return "cannot connect";
      case httplib::Error::ConnectionTimeout:
        return fmt::format("cannot connect within {} s", options_.timeout.count());
      case httplib::Error::SSLConnection:
        return "no secure connection: the TLS handshake failed";
      case httplib::Error::SSLLoadingCerts:
        return "no secure connection: the certificates of this system cannot be read";
      case httplib::Error::SSLServerVerification:
        return "no secure connection: the server's certificate is not trusted";
      case httplib::Error::Read:
        return silent ? fmt::format("no answer within {} s", options_.timeout.count())
                      : "connection closed before an answer";
      default:
        return httplib::to_string(error);
    }
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
  std::optional<std::uintmax_t> total_;
  int status_ = 0;
  std::string location_;
  Clock::time_point last_sign_;
  std::optional<Failure> failure_;
  std::exception_ptr callback_error_;
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
  const SigpipeBlock sigpipe_block;
  std::string failures;
  for (const std::string& url : options.urls.empty() ? entry.urls : options.urls) {
    if (options.stop.stop_requested()) break;
    const std::optional<Failure> failure = Transfer(entry, options, target).run(url);
    if (!failure) {
      new_folder.keep();
      return target;
    }
    failures += fmt::format("\n  {}: {}", url, failure->reason);
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
