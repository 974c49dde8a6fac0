// SPDX-License-Identifier: Apache-2.0
#include <croco/data/http_client.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <system_error>

#include <curl/curl.h>
#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/sigpipe_block.hpp>

namespace croco {
namespace {

void require_library() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) {
    throw IoError(fmt::format("libcurl cannot be used: {}", curl_easy_strerror(started)));
  }
}

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  const CURLcode result = curl_easy_setopt(handle, option, value);
  if (result != CURLE_OK) {
    throw IoError(fmt::format("libcurl refuses option {}: {}", static_cast<int>(option),
                              curl_easy_strerror(result)));
  }
}

/// Rounded up, since 0 means no limit to libcurl.
long milliseconds(double seconds) {
  constexpr double kMost = 1e9;
  return static_cast<long>(std::clamp(std::ceil(seconds * 1000), 1.0, kMost));
}

class HeaderList {
 public:
  HeaderList() = default;
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;

  void add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(list_, line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    list_ = longer;
  }
  [[nodiscard]] curl_slist* get() const noexcept { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

bool is_redirect(int status) noexcept {
  constexpr std::array kRedirects{301, 302, 303, 307, 308};
  return std::ranges::find(kRedirects, status) != kRedirects.end();
}

/// The value of the header `name`, which is in lower case, without blanks around it.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(line[i])) != name[i]) return std::nullopt;
  }
  line.remove_prefix(name.size() + 1);
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::string_view();
  return line.substr(first, line.find_last_not_of(kBlanks) + 1 - first);
}

/// What arrives, one request long. libcurl is written in C: no exception may pass through it.
class Receiver {
 public:
  Receiver(const HttpRequest& request, HttpResult& result) : request_(request), result_(result) {}

  static std::size_t on_header(const char* data, std::size_t one, std::size_t size, void* self) {
    return static_cast<Receiver*>(self)->guarded(
               [&](Receiver& receiver) { return receiver.header({data, one * size}); })
               ? one * size
               : 0;
  }
  static std::size_t on_body(const char* data, std::size_t one, std::size_t size, void* self) {
    return static_cast<Receiver*>(self)->guarded(
               [&](Receiver& receiver) { return receiver.body({data, one * size}); })
               ? one * size
               : 0;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  /// Why a callback ended the transfer, if one did.
  [[nodiscard]] std::optional<HttpEnd> end() const noexcept { return end_; }
  [[nodiscard]] bool head_complete() const noexcept { return head_complete_; }

 private:
  template <class Step>
  bool guarded(const Step& step) noexcept {
    try {
      return step(*this);
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }

  bool end_with(HttpEnd end) noexcept {
    end_ = end;
    return false;
  }

  bool header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMaxHeaderBytes) return end_with(HttpEnd::head_too_long);
    if (head_complete_ && !line.starts_with("HTTP/")) return true;  // a trailer
    if (line.starts_with("HTTP/")) {
      head_complete_ = false;
      result_.location.clear();
      result_.announced.reset();
      result_.status = 0;
      const std::size_t blank = line.find(' ');
      if (blank != std::string_view::npos) {
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), result_.status);
      }
    } else if (const auto location = value_of(line, "location")) {
      result_.location = *location;
    } else if (const auto length = value_of(line, "content-length")) {
      std::uintmax_t bytes = 0;
      const char* const end = length->data() + length->size();
      if (std::from_chars(length->data(), end, bytes).ec == std::errc{}) result_.announced = bytes;
    } else if (line == "\r\n" || line == "\n") {
      return head_end();
    }
    return true;
  }

  bool head_end() {
    if (result_.status < 200) return true;  // "100 Continue": the answer is still to come
    head_complete_ = true;
    if (!is_redirect(result_.status)) result_.location.clear();
    if (!result_.location.empty() && request_.max_redirects > 0) return true;
    if (request_.on_head && !request_.on_head(result_.status, result_.announced)) {
      return end_with(HttpEnd::refused);
    }
    if (result_.announced.value_or(0) > request_.max_bytes) {
      return end_with(HttpEnd::body_too_long);
    }
    return true;
  }

  bool body(std::string_view piece) {
    if (piece.size() > request_.max_bytes - result_.received) {
      return end_with(HttpEnd::body_too_long);
    }
    result_.received += piece.size();
    if (request_.on_piece && !request_.on_piece(piece)) return end_with(HttpEnd::refused);
    return true;
  }

  const HttpRequest& request_;
  HttpResult& result_;
  std::size_t header_bytes_ = 0;
  bool head_complete_ = false;
  std::optional<HttpEnd> end_;
  std::exception_ptr error_;
};

/// OpenSSL's own variables, which libcurl does not read by itself.
void set_certificates(CURL* handle) {
  if (const char* file = std::getenv("SSL_CERT_FILE"); file != nullptr && *file != '\0') {
    set(handle, CURLOPT_CAINFO, file);
  }
  if (const char* folder = std::getenv("SSL_CERT_DIR"); folder != nullptr && *folder != '\0') {
    set(handle, CURLOPT_CAPATH, folder);
  }
}

void set_request(CURL* handle, const HttpRequest& request, const HeaderList& headers) {
  set(handle, CURLOPT_URL, request.url.c_str());
  set(handle, CURLOPT_HTTPHEADER, headers.get());
  set(handle, CURLOPT_USERAGENT, "croco");
  // A proxy is asked for a tunnel without the headers that are meant for the server.
  set(handle, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  if (request.body != nullptr) {
    set(handle, CURLOPT_POST, 1L);
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    set(handle, CURLOPT_POSTFIELDS, request.body->data());
  }
}

void set_rules(CURL* handle, const HttpRequest& request) {
  const bool secure = request.url.starts_with("https://");
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  set(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  set_certificates(handle);
  set(handle, CURLOPT_FOLLOWLOCATION, request.max_redirects > 0 ? 1L : 0L);
  set(handle, CURLOPT_MAXREDIRS, request.max_redirects);
  set(handle, CURLOPT_CONNECTTIMEOUT_MS,
      milliseconds(std::min(request.connect_seconds, request.total_seconds)));
  set(handle, CURLOPT_TIMEOUT_MS, milliseconds(request.total_seconds));
  set(handle, CURLOPT_LOW_SPEED_TIME, request.silence_seconds);
  set(handle, CURLOPT_LOW_SPEED_LIMIT, request.silence_seconds > 0 ? kSlowestBody : 0L);
}

double number_from(CURL* handle, CURLINFO info) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(handle, info, &microseconds);
  return static_cast<double>(microseconds) / 1e6;
}

HttpEnd end_of_timeout(CURL* handle, const HttpRequest& request) {
  // libcurl's timers may fire slightly early.
  if (number_from(handle, CURLINFO_TOTAL_TIME_T) >= 0.99 * request.total_seconds) {
    return HttpEnd::late;
  }
  return number_from(handle, CURLINFO_PRETRANSFER_TIME_T) > 0 ? HttpEnd::silent
                                                              : HttpEnd::connect_late;
}

bool proxy_refused(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_HTTP_CONNECTCODE, &status);
  return status != 0 && status / 100 != 2;
}

HttpEnd end_of(CURLcode code, CURL* handle, const HttpRequest& request, const Receiver& receiver,
               const HttpResult& result) {
  if (code == CURLE_OK) return HttpEnd::complete;
  if (const auto end = receiver.end()) return *end;
  if (proxy_refused(handle)) return HttpEnd::no_proxy;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return HttpEnd::no_connection;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpEnd::no_proxy;
    case CURLE_OPERATION_TIMEDOUT:
      return end_of_timeout(handle, request);
    case CURLE_TOO_MANY_REDIRECTS:
      return HttpEnd::too_many_redirects;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_LOGIN_DENIED:
      return result.location.empty() ? HttpEnd::not_http : HttpEnd::bad_redirect;
    case CURLE_WEIRD_SERVER_REPLY:
      return HttpEnd::not_http;
    case CURLE_OUT_OF_MEMORY:
      // So does libcurl before 8.6 call a header line above its own limit.
      return receiver.head_complete() ? HttpEnd::other : HttpEnd::head_too_long;
    case CURLE_PEER_FAILED_VERIFICATION:
      return HttpEnd::tls_untrusted;
    case CURLE_SSL_CACERT_BADFILE:
      return HttpEnd::tls_no_certificates;
    case CURLE_SSL_CONNECT_ERROR:
      return HttpEnd::tls_failed;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return HttpEnd::cut;
    default:
      return HttpEnd::other;
  }
}

}  // namespace

struct HttpClient::Handles {
  CURLM* several = nullptr;
  CURL* one = nullptr;

  Handles() : several(curl_multi_init()), one(curl_easy_init()) {
    if (several == nullptr || one == nullptr) throw std::bad_alloc();
  }
  ~Handles() {
    curl_easy_cleanup(one);
    curl_multi_cleanup(several);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  /// Runs the transfer of `one`; nothing when it was stopped.
  [[nodiscard]] std::optional<CURLcode> run(const std::stop_token& stop) const {
    constexpr int kPatience = 1000;  // ms; a stop does not wait for it
    const std::stop_callback wake(stop, [this] { curl_multi_wakeup(several); });
    for (int running = 1; running > 0;) {
      if (stop.stop_requested()) return std::nullopt;
      if (curl_multi_perform(several, &running) != CURLM_OK) return CURLE_FAILED_INIT;
      if (running > 0) curl_multi_poll(several, nullptr, 0, kPatience, nullptr);
    }
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(several, &left);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-union-access): curl's own type
    return message == nullptr ? CURLE_FAILED_INIT : message->data.result;
  }
};

HttpClient::HttpClient() {
  require_library();
  handles_ = std::make_unique<Handles>();
}

HttpClient::~HttpClient() = default;

HttpResult HttpClient::send(const HttpRequest& request) {
  const SigpipeBlock sigpipe_block;
  HeaderList headers;
  for (const std::string& line : request.headers) headers.add(line);
  headers.add("Accept-Encoding: identity");  // nothing that grows when it is unpacked
  headers.add("Expect:");                    // a body is sent at once, not after a question
  HttpResult result;
  Receiver receiver(request, result);
  CURL* const handle = handles_->one;
  curl_easy_reset(handle);
  set_request(handle, request, headers);
  set_rules(handle, request);
  set(handle, CURLOPT_HEADERFUNCTION, &Receiver::on_header);
  set(handle, CURLOPT_HEADERDATA, &receiver);
  set(handle, CURLOPT_WRITEFUNCTION, &Receiver::on_body);
  set(handle, CURLOPT_WRITEDATA, &receiver);
  if (curl_multi_add_handle(handles_->several, handle) != CURLM_OK) throw std::bad_alloc();
  const std::optional<CURLcode> code = handles_->run(request.stop);
  // A look-up of a name cannot be ended; nobody waits for it.
  if (!code) set(handle, CURLOPT_QUICK_EXIT, 1L);
  curl_multi_remove_handle(handles_->several, handle);
  receiver.rethrow();
  if (!code) {
    result.end = HttpEnd::stopped;
    return result;
  }
  result.end = end_of(*code, handle, request, receiver, result);
  result.detail = curl_easy_strerror(*code);
  return result;
}

std::optional<std::string> http_library() {
  const char* const text = curl_version();
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace croco
