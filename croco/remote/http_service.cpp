// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/http_service.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stop_token>
#include <utility>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <croco/base/deadline.hpp>
#include <croco/base/error.hpp>
#include <croco/base/sigpipe_block.hpp>
#include <croco/data/url.hpp>
#include <croco/remote/row_text.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;

/// The beginning of what a server said, on one line.
std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 240;
  std::string out(text.substr(0, kShown));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  if (text.size() > kShown) out += "...";
  return out;
}

/// A number, [number] or [of class 0, of class 1].
std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_array() || value.empty() || value.size() > 2) return std::nullopt;
  for (const Json& part : value) {
    if (!part.is_number()) return std::nullopt;
  }
  return value.back().get<double>();
}

class HttpService final : public RowService {
 public:
  HttpService(const RemoteOptions& options, const RecordColumns& columns)
      : options_(options),
        url_(parse_url(options.address).value_or(Url{})),
        text_(options.protocol == RemoteProtocol::instances ? RowText::json_objects(columns)
                                                            : RowText::json_arrays(columns)) {}

  void ask(Rows values, MutableView answers) override {
    write(values);
    const SigpipeBlock sigpipe_block;
    const bool kept = client_ != nullptr;
    std::string failure = post(answers.size());
    // A server may close a connection that was idle just when it is used again.
    if (!failure.empty() && kept && !late_ && status_ == 0) failure = post(answers.size());
    if (!failure.empty()) throw IoError(fmt::format("{}: {}", options_.name(), failure));
    try {
      read_predictions(received_, answers);
    } catch (const ModelError& error) {
      throw ModelError(fmt::format("{}: {}", options_.name(), error.what()));
    }
  }

 private:
  void write(Rows values) {
    if (options_.protocol == RemoteProtocol::instances) {
      body_ = R"({"instances":[)";
      text_.append(values, body_);
      body_ += "]}";
      return;
    }
    body_ = fmt::format(R"({{"dataframe_split":{{"columns":{},"data":[)", text_.header());
    text_.append(values, body_);
    body_ += "]}}";
  }

  void connect() {
    client_ = std::make_unique<httplib::Client>(url_.origin);
    const auto limit = std::chrono::duration<double>(options_.seconds);
    const auto whole =
        std::max(std::chrono::milliseconds(1), std::chrono::ceil<std::chrono::milliseconds>(limit));
    client_->set_connection_timeout(whole);
    client_->set_read_timeout(whole);
    client_->set_write_timeout(whole);
    client_->set_keep_alive(true);
    client_->set_tcp_nodelay(true);
    client_->set_follow_location(false);  // rows go where the user said, and nowhere else
    client_->set_decompress(false);
    client_->set_url_encode(false);
    client_->enable_server_certificate_verification(true);
  }

  /// Why there is no answer; empty when `received_` is one.
  std::string post(std::size_t rows) {
    status_ = 0;
    late_ = false;
    received_.clear();
    if (!client_) connect();
    if (!client_->is_valid()) return fmt::format("'{}' is no server", url_.origin);
    // A number takes 25 bytes at most; a pair of them, with blanks between, twice that.
    const std::size_t most = 65'536 + 128 * rows;
    bool too_long = false;
    httplib::Request request;
    request.method = "POST";
    request.path = url_.target;
    request.headers = {{"Content-Type", "application/json"},
                       {"Accept", "application/json"},
                       {"Accept-Encoding", "identity"},
                       {"User-Agent", "croco"}};
    request.body = body_;
    request.response_handler = [this](const httplib::Response& response) {
      status_ = response.status;
      return true;
    };
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t,
                                   std::uint64_t) {
      too_long = received_.size() + size > most;
      if (!too_long) received_.append(data, size);
      return !too_long;
    };
    httplib::Response response;
    auto error = httplib::Error::Success;
    bool sent = false;
    {
      // The client's own limits are on silence; this one is on the whole.
      const Deadline deadline(options_.seconds, {});
      const std::stop_token over = deadline.token();
      const std::stop_callback interrupt(over, [this] { client_->stop(); });
      const auto start = std::chrono::steady_clock::now();
      sent = client_->send(request, response, error);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      late_ = !sent && (over.stop_requested() || took.count() >= 0.99 * options_.seconds);
    }
    if (sent && status_ == 200) return {};
    client_.reset();
    if (too_long) {
      return fmt::format("its answer to {} rows is longer than {} bytes", rows, most);
    }
    if (late_) {
      return fmt::format("no answer to {} rows within {:.4g} s (model-timeout)", rows,
                         options_.seconds);
    }
    if (sent) {
      return received_.empty() ? fmt::format("HTTP {}", status_)
                               : fmt::format("HTTP {}: {}", status_, shown(received_));
    }
    return words(error);
  }

  [[nodiscard]] std::string words(httplib::Error error) const {
    switch (error) {
      case httplib::Error::Connection:
        return fmt::format("no connection to {}", url_.origin);
      case httplib::Error::SSLConnection:
        return "no secure connection: the TLS handshake failed";
      case httplib::Error::SSLLoadingCerts:
        return "no secure connection: the certificates of this system cannot be read";
      case httplib::Error::SSLServerVerification:
        return "no secure connection: the server's certificate is not trusted";
      case httplib::Error::Read:
      case httplib::Error::Write:
        return "the connection was closed before an answer";
      default:
        return httplib::to_string(error);
    }
  }

  RemoteOptions options_;
  Url url_;
  RowText text_;
  std::unique_ptr<httplib::Client> client_;
  std::string body_;
  std::string received_;
  int status_ = 0;
  bool late_ = false;
};

}  // namespace

void read_predictions(std::string_view json, MutableView answers) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) {
    throw ModelError(fmt::format("its answer is no JSON (which knows no NaN): {}", shown(json)));
  }
  const Json* list = &document;
  if (document.is_object()) {
    for (const char* key : {"predictions", "probabilities"}) {
      if (const auto found = document.find(key); found != document.end()) list = &*found;
    }
  }
  if (!list->is_array()) {
    throw ModelError(
        fmt::format("its answer must be an array, or an object with one as 'predictions'; it is {}",
                    shown(json)));
  }
  if (list->size() != answers.size()) {
    throw ModelError(
        fmt::format("it answered {} numbers to {} rows", list->size(), answers.size()));
  }
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const std::optional<double> number = number_of((*list)[k]);
    if (!number) {
      throw ModelError(fmt::format(
          "it answered {} for row {} of a batch of {}; it must be a number, or two: of class 0 "
          "and of class 1",
          shown((*list)[k].dump(-1, ' ', true, Json::error_handler_t::replace)), k + 1,
          answers.size()));
    }
    answers[k] = *number;
  }
}

std::unique_ptr<RowService> connect_server(const RemoteOptions& options,
                                           const RecordColumns& columns) {
  return std::make_unique<HttpService>(options, columns);
}

}  // namespace croco
