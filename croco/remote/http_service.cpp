// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/http_service.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/printable.hpp>
#include <croco/base/stopped.hpp>
#include <croco/data/http_client.hpp>
#include <croco/remote/row_text.hpp>
#include <croco/remote/secrets.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;

/// The beginning of what a server said, on one line.
std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 240;
  return excerpt(text, kShown);
}

/// A number, or null for NaN, which JSON does not know.
std::optional<double> plain_number(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// A number, [number] or [of class 0, of class 1].
std::optional<double> number_of(const Json& value) {
  if (!value.is_array()) return plain_number(value);
  if (value.empty() || value.size() > 2 || !plain_number(value.front())) return std::nullopt;
  return plain_number(value.back());
}

/// Reads JSON, and NaN as null: Python's json writes it by default.
Json parse(std::string_view json) {
  Json document = try_parse_json<Json>(json);
  if (!document.is_discarded() || json.find("NaN") == std::string_view::npos) return document;
  std::string text;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!quoted && json.substr(i, 3) == "NaN") {
      text += "null";
      i += 2;
      continue;
    }
    text += json[i];
    if (json[i] == '"') quoted = !quoted;
    if (quoted && json[i] == '\\' && i + 1 < json.size()) text += json[++i];
  }
  return try_parse_json<Json>(text);
}

class HttpService final : public RowService {
 public:
  HttpService(const RemoteOptions& options, const RecordColumns& columns)
      : options_(options),
        text_(options.protocol == RemoteProtocol::instances ? RowText::json_objects(columns)
                                                            : RowText::json_arrays(columns)) {
    request_.url = options.address;
    request_.headers = options.headers;
    request_.headers.emplace_back("Content-Type: application/json");
    request_.headers.emplace_back("Accept: application/json");
    request_.body = &body_;
    request_.connect_seconds = options.seconds;
    request_.total_seconds = options.seconds;
    request_.max_redirects = 0;  // rows and headers go where the user said, and nowhere else
    request_.on_piece = [this](std::string_view piece) {
      received_ += piece;
      return true;
    };
    request_.stop = options.stop;
  }

  void ask(Rows values, MutableView answers) override {
    write(values);
    received_.clear();
    // A number takes 25 bytes at most; a pair of them, with blanks between, twice that.
    request_.max_bytes = 65'536 + 128 * answers.size();
    const HttpResult result = client_.send(request_);
    if (result.end == HttpEnd::stopped) {
      throw Stopped(fmt::format("{}: stopped while it was asked", options_.name()));
    }
    if (const std::string failure = failure_of(result, answers.size()); !failure.empty()) {
      throw IoError(fmt::format("{}: {}", options_.name(), failure));
    }
    try {
      read_predictions(received_, answers);
    } catch (const ModelError& error) {
      throw ModelError(
          fmt::format("{}: {}", options_.name(), without_secrets(error.what(), options_)));
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

  /// Why there is no answer; empty when `received_` is one.
  [[nodiscard]] std::string failure_of(const HttpResult& result, std::size_t rows) const {
    const bool complete = result.end == HttpEnd::complete;
    if (complete && result.status == 200) return {};
    if (complete || (result.end == HttpEnd::body_too_long && result.status != 200)) {
      // Hidden before it is cut, since half of a secret is one too.
      const std::string text = shown(without_secrets(received_, options_));
      return fmt::format("HTTP {}{}{}", result.status, text.empty() ? "" : ": ", text);
    }
    if (result.end == HttpEnd::body_too_long) {
      return fmt::format("its answer to {} rows is longer than {} bytes", rows, request_.max_bytes);
    }
    if (result.end == HttpEnd::late) {
      return fmt::format("no answer to {} rows within {:.4g} s (model-timeout)", rows,
                         options_.seconds);
    }
    return result.reason(request_);
  }

  RemoteOptions options_;
  RowText text_;
  HttpClient client_;
  HttpRequest request_;
  std::string body_;
  std::string received_;
};

}  // namespace

void read_predictions(std::string_view json, MutableView answers) {
  const Json document = parse(json);
  if (document.is_discarded()) {
    throw ModelError(fmt::format("its answer is no JSON: {}", shown(json)));
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
