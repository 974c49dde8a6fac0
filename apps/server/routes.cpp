// SPDX-License-Identifier: Apache-2.0
#include <apps/server/routes.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <apps/server/query.hpp>
#include <croco/base/error.hpp>

namespace croco::server {
namespace {

constexpr std::string_view kApi = "/api/v1/";
constexpr std::string_view kPeople = "people/";
constexpr std::string_view kNothing =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Answer json(std::string text) { return {.body = std::move(text)}; }

Route known(std::string name, Answer answer, bool is_open = false) {
  return {.name = std::move(name), .is_open = is_open, .answer = std::move(answer)};
}

Route missing() {
  return known("other",
               problem(404, "There is no such thing",
                       "the address is none of the server's; /api/v1/openapi.json lists them"));
}

Route wrong_method(std::string name, const char* allowed) {
  Answer out =
      problem(405, "Another method is needed", fmt::format("this address takes {} alone", allowed));
  out.headers.emplace_back("Allow", allowed);
  return known(std::move(name), std::move(out));
}

/// The policy that a page states of itself, so that header and page agree.
std::string policy_of(std::string_view page) {
  constexpr std::string_view kMeta = "http-equiv=\"Content-Security-Policy\"";
  constexpr std::string_view kContent = "content=\"";
  const std::size_t meta = page.find(kMeta);
  if (meta == std::string_view::npos) return std::string(kNothing);
  const std::size_t begin = page.find(kContent, meta);
  if (begin == std::string_view::npos) return std::string(kNothing);
  const std::size_t end = page.find('"', begin + kContent.size());
  std::string out(page.substr(begin + kContent.size(), end - begin - kContent.size()));
  // It is written over several lines, which a header must not be.
  std::ranges::replace(out, '\n', ' ');
  return out + "; frame-ancestors 'none'";
}

Answer page_answer(const std::string& page, const std::string& policy) {
  if (page.empty()) {
    return {.type = "text/plain; charset=utf-8",
            .body =
                "This croco was built without its page (npm was not there). The interface for "
                "programs works: /api/v1/openapi.json describes it.\n"};
  }
  return {.type = "text/html; charset=utf-8",
          .body = page,
          .headers = {{"Content-Security-Policy", policy}}};
}

std::string media_type(std::string_view text) {
  std::string out(text.substr(0, text.find_first_of(";,")));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

using Operation = std::string (Service::*)(std::string_view, const std::stop_token&) const;
struct NamedOperation {
  std::string_view name;
  Operation operation;
  const char* type = "application/json";
};
constexpr std::array<NamedOperation, 6> kOperations{
    {{"tradeoff", &Service::tradeoff},
     {"cloud", &Service::cloud},
     {"certify", &Service::certify},
     {"verify", &Service::verify},
     {"compare", &Service::compare},
     {"letter", &Service::letter, "text/html; charset=utf-8"}}};

bool is_post(std::string_view name) {
  return name == "explain" ||
         std::ranges::find(kOperations, name, &NamedOperation::name) != kOperations.end();
}

}  // namespace

Answer answer_of(const std::exception_ptr& error) {
  const Refusal refusal = refusal_of(error);
  Answer out{
      .status = refusal.status, .type = "application/problem+json", .body = refusal_json(refusal)};
  if (refusal.status == 503) out.headers.emplace_back("Retry-After", "1");
  return out;
}

void add_safety(Answer& answer) {
  const auto add = [&](const char* name, std::string_view value) {
    const bool there =
        std::ranges::any_of(answer.headers, [&](const auto& one) { return one.first == name; });
    if (!there) answer.headers.emplace_back(name, value);
  };
  add("Content-Security-Policy",
      answer.type.starts_with("text/html") ? policy_of(answer.body) : std::string(kNothing));
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Cross-Origin-Opener-Policy", "same-origin");
  add("Cache-Control", "no-store");
}

Routes::Routes(std::shared_ptr<const Service> service, std::string page, ServerState state)
    : service_(std::move(service)),
      page_(std::move(page)),
      page_policy_(policy_of(page_)),
      state_(std::move(state)) {}

Route Routes::find(const Request& request) const {
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  const std::string_view query =
      mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  const bool api = path.starts_with(kApi);
  if (api && is_post(path.substr(kApi.size()))) {
    if (request.method != "POST") return wrong_method(std::string(path), "POST");
    return find_post(request, path);
  }
  Route route = find_get(path, query);
  if (request.method != "GET" && route.name != "other") return wrong_method(route.name, "GET");
  return route;
}

Route Routes::find_get(std::string_view path, std::string_view query) const {
  const std::shared_ptr<const Service> service = service_;
  if (path == "/" || path == "/index.html") {
    return known("/", page_answer(page_, page_policy_), true);
  }
  if (path == "/health") return known("/health", json(R"({"status":"ok"})"), true);
  if (path == "/ready") {
    const bool ready = state_.is_ready();
    Answer out = json(ready ? R"({"status":"ready"})" : R"({"status":"stopping"})");
    out.status = ready ? 200 : 503;
    return known("/ready", std::move(out), true);
  }
  if (path == "/metrics") {
    return {.name = "/metrics", .is_instant = true, .work = [this](const std::stop_token&) {
              return Answer{.type = "text/plain; version=0.0.4; charset=utf-8",
                            .body = state_.metrics()};
            }};
  }
  if (!path.starts_with(kApi)) return missing();
  const std::string_view name = path.substr(kApi.size());
  if (name == "openapi.json") {
    return known(std::string(path), json(std::string(Service::openapi())));
  }
  if (name == "model") {
    return {.name = std::string(path),
            .work = [service](const std::stop_token&) { return json(service->model()); }};
  }
  if (name == "schema") {
    return {.name = std::string(path),
            .work = [service](const std::stop_token&) { return json(service->schema()); }};
  }
  if (name == "people") {
    return {.name = std::string(path),
            .work = [service, text = std::string(query)](const std::stop_token&) {
              return json(service->people(read_people_query(text)));
            }};
  }
  if (name.starts_with(kPeople)) {
    const std::string_view digits = name.substr(kPeople.size());
    std::size_t row = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), row);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    const std::string template_name = std::string(kApi) + "people/{row}";
    if (!whole) {
      return known(template_name,
                   problem(404, "There is no such thing", "a row is a whole number of at least 0"));
    }
    return {.name = template_name,
            .work = [service, row](const std::stop_token&) { return json(service->person(row)); }};
  }
  return missing();
}

Route Routes::find_post(const Request& request, std::string_view path) const {
  Route route{.name = std::string(path)};
  if (media_type(request.content_type) != "application/json") {
    route.answer = problem(415, "Another media type is needed",
                           "the header Content-Type must be application/json");
    return route;
  }
  const std::shared_ptr<const Service> service = service_;
  const std::string_view name = path.substr(kApi.size());
  const std::string accept = media_type(request.accept);
  const bool events = accept == "text/event-stream";
  if (name == "explain" && events) {
    route.stream = [service, &request](const Send& send, const std::stop_token& stop) {
      service->explain_events(request.body, send, stop);
    };
  } else if (name == "tradeoff" && events) {
    route.stream = [service, &request](const Send& send, const std::stop_token& stop) {
      service->tradeoff_events(request.body, send, stop);
    };
  } else if (name == "explain") {
    route.work = [service, &request, accept](const std::stop_token& stop) {
      Reply reply = service->explain(request.body, accept, stop);
      return Answer{.type = std::move(reply.type), .body = std::move(reply.text)};
    };
  } else {
    const auto found = std::ranges::find(kOperations, name, &NamedOperation::name);
    route.work = [service, &request, found](const std::stop_token& stop) {
      return Answer{.type = found->type,
                    .body = ((*service).*(found->operation))(request.body, stop)};
    };
  }
  return route;
}

}  // namespace croco::server
