// SPDX-License-Identifier: Apache-2.0
/// From a request to an operation of the service. The server has no logic of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include <apps/server/guard.hpp>
#include <apps/server/http.hpp>
#include <croco/service/service.hpp>

namespace croco::server {

/// Sends an event and its JSON.
using Send = Service::Events;

/// What a request asks for.
struct Route {
  /// How logs and metrics call it: "/api/v1/people/{row}", never what was asked.
  std::string name;
  /// Needs no token: it holds nothing of anybody.
  bool is_open = false;
  /// Known at once.
  std::optional<Answer> answer = {};
  bool is_instant = false;  ///< the work is too little for a worker
  /// Otherwise the work, whose exceptions `refusal_of` names.
  std::function<Answer(const std::stop_token&)> work = {};
  /// Or work that sends events.
  std::function<void(const Send&, const std::stop_token&)> stream = {};
};

/// What the server says of itself.
struct ServerState {
  std::function<std::string()> metrics;
  std::function<bool()> is_ready;
};

/// Immutable.
class Routes {
 public:
  /// `page` is the page at "/"; empty when the program was built without it.
  Routes(std::shared_ptr<const Service> service, std::string page, ServerState state);

  /// The route of a request, which must outlive it; its body may still be missing.
  [[nodiscard]] Route find(const Request& request) const;

 private:
  [[nodiscard]] Route find_get(std::string_view path, std::string_view query) const;
  [[nodiscard]] Route find_post(const Request& request, std::string_view path) const;

  std::shared_ptr<const Service> service_;
  std::string page_;
  std::string page_policy_;
  ServerState state_;
};

/// What an exception of an operation is answered with.
[[nodiscard]] Answer answer_of(const std::exception_ptr& error);

/// Headers of every answer: nothing is kept, guessed, embedded or allowed to load anything.
void add_safety(Answer& answer);

}  // namespace croco::server
