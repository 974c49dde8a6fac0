// SPDX-License-Identifier: Apache-2.0
// croco serve: a page and an interface for programs, on this machine.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/server/guard.hpp>
#include <apps/server/http_server.hpp>
#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/loading/fitted_model.hpp>
#include <croco/loading/people.hpp>
#include <croco/service/service.hpp>

namespace croco {

namespace embedded {
// NOLINTBEGIN(readability-identifier-naming): named after the files
extern const std::string_view app_page;
// NOLINTEND(readability-identifier-naming)
}  // namespace embedded

namespace cli {
namespace {

struct ServeCommand {
  ModelOptions model;
  std::string bundle;
  SourceOptions source;
  KeptOptions kept;
  ServiceOptions service;
  server::ServerOptions server;
  std::vector<std::string> names;
  std::string token_file;
  std::string log = "on";
  unsigned port = 8420;
  double time_limit = 30;
  std::size_t cache_megabytes = 256;
  std::optional<std::size_t> workers;
};

/// What is served: a model and people, or those of the demonstration.
struct Served {
  LoadedModel model;
  std::vector<Person> people;
};

/// The model of the demonstration, as `croco train --data german --seed 1` makes it.
Served demonstration(const std::stop_token& stop) {
  const CatalogEntry& german = *find_entry("german");
  const CsvTable table = load_dataset(german);
  print_note("no model is given: training a network on the German Credit data\n");
  const FittedModel fitted = fit_model(table, catalog_schema(german), MissingPolicy::error,
                                       {.seed = 1}, "german", {}, stop);
  LoadedModel model = load_model_bytes(fitted.file, "german");
  std::vector<Person> people = read_people(table, model.codec.schema(), 0, table.rows.size());
  return {std::move(model), std::move(people)};
}

Served load(ServeCommand& options) {
  if (!options.bundle.empty()) {
    if (!options.model.model.empty()) {
      throw InvalidArgument("a bundle and --model are given; only one can be served");
    }
    options.model.model = options.bundle;
  }
  const bool has_data = !options.source.data.empty();
  LoadedModel model = options.model.load(has_data ? &options.source : nullptr);
  std::vector<Person> people;
  if (has_data) {
    const CsvTable table = options.source.read();
    options.service.kept = options.kept.resolve(table, model.codec.schema());
    options.service.identified = options.kept.has_id();
    people = read_people(table, model.codec.schema(), 0, table.rows.size(), options.service.kept);
  } else {
    print_note("note: --data is not given, so that no people are listed; records can be typed\n");
  }
  return {std::move(model), std::move(people)};
}

bool names_model(const ServeCommand& options) {
  return !options.bundle.empty() || !options.model.model.empty() ||
         !options.model.program.empty() || !options.model.url.empty();
}

std::chrono::milliseconds milliseconds(double seconds, const char* name) {
  constexpr double kMost = 3600;
  if (!(seconds > 0) || seconds > kMost) {
    throw InvalidArgument(
        fmt::format("{} is {} s; it must be above 0 and at most {}", name, seconds, kMost));
  }
  return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

server::AccessLog access_log(const std::string& text) {
  if (text == "off") return {};
  if (text != "on") throw InvalidArgument(fmt::format("log is '{}'; it must be on or off", text));
  return [](const std::string& line) { print_err("{}\n", line); };
}

void complete(ServeCommand& options) {
  constexpr unsigned kLastPort = 65535;
  if (options.port > kLastPort) {
    throw InvalidArgument(
        fmt::format("port is {}; it must be between 0 and {}", options.port, kLastPort));
  }
  require_open_unit("target", options.service.target);
  require_open_unit("confidence", options.service.confidence);
  options.server.port = static_cast<std::uint16_t>(options.port);
  options.server.work_time = milliseconds(options.time_limit, "time-limit");
  options.server.workers =
      options.workers.value_or(std::max(1U, std::thread::hardware_concurrency()));
  if (options.server.workers < 1) throw InvalidArgument("workers is 0; it must be at least 1");
  options.service.seconds = options.time_limit;
  options.service.body_bytes = options.server.body_bytes;
  options.service.cache_bytes = options.cache_megabytes << 20;
}

int run(ServeCommand& options, const std::stop_token& stop) {
  complete(options);
  const server::AccessLog log = access_log(options.log);
  server::GuardOptions guarded{.host = options.server.host, .names = options.names};
  if (!options.token_file.empty()) guarded.token = server::read_token(options.token_file);
  const server::Guard guard(std::move(guarded));
  options.model.remote.stop = stop;
  options.service.demo = !names_model(options);
  if (options.service.demo && !options.source.data.empty()) {
    throw InvalidArgument("--data is given without a model; --model must name it");
  }
  Served served = options.service.demo ? demonstration(stop) : load(options);
  if (stop.stop_requested()) return kOk;
  const auto service = std::make_shared<const Service>(std::move(served.model),
                                                       std::move(served.people), options.service);
  const std::string_view scheme = options.server.certificate.empty() ? "http" : "https";
  const bool page = !embedded::app_page.empty();
  server::serve(
      options.server, guard, service, std::string(embedded::app_page), log,
      [&](std::uint16_t port) {
        const bool wide = options.server.host.find(':') != std::string::npos;
        print_err("{} {}://{}{}{}:{}/\n", page ? "open" : "listening (without the page) on", scheme,
                  wide ? "[" : "", options.server.host, wide ? "]" : "", port);
      },
      stop);
  return kOk;
}

void add_server_options(ServeCommand& options, Command& command) {
  command
      .add_option("--host", options.server.host,
                  "Address to listen on; one that others can reach needs --token-file")
      .show_default();
  command.add_option("--port", options.port, "Port to listen on; 0 for any that is free")
      .show_default();
  command
      .add_option("--allow-host", options.names,
                  "Further name that clients call the server by; may be repeated")
      .type_name("NAME");
  command
      .add_option("--token-file", options.token_file,
                  "File whose first line is the token that every request must carry")
      .type_name("FILE");
  command
      .add_option("--tls-cert", options.server.certificate,
                  "Certificate chain in PEM, to serve HTTPS")
      .type_name("FILE");
  command.add_option("--tls-key", options.server.key, "Its private key in PEM").type_name("FILE");
  command.add_option("--workers", options.workers, "Requests answered at once [all cores]");
  command
      .add_option("--queue", options.server.queue,
                  "Requests that may wait; more are answered with 503")
      .show_default();
  command.add_option("--connections", options.server.connections, "Open connections at most")
      .show_default()
      .positive();
  command
      .add_option("--time-limit", options.time_limit,
                  "Time limit of a request, after which its work is stopped")
      .type_name("SECONDS")
      .show_default();
  command
      .add_option("--cache", options.cache_megabytes,
                  "Memory for samples that are kept for the next person")
      .type_name("MEGABYTES")
      .show_default();
  command
      .add_option("--log", options.log,
                  "on or off: one line of JSON per request on standard error, without values")
      .show_default();
}

}  // namespace

void add_serve(Command& program, Environment& environment) {
  auto options = std::make_shared<ServeCommand>();
  Command command = program.add_command(
      "serve", "Serve a page and an interface for programs; without a model, a demonstration");
  command
      .add_option("bundle", options->bundle, "Bundle or model file to serve; the same as --model")
      .type_name("FILE");
  options->model.add_to(command);
  options->model.add_cost_to(command);
  command
      .add_option("--data", options->source.data,
                  "People to list: a CSV file, or a data set by name [none; records can be typed]")
      .type_name("FILE|NAME");
  command
      .add_option("--data-dir", options->source.data_dir,
                  "Folder with the files of named data sets")
      .type_name("DIR");
  options->kept.add_to(command);
  command.add_option("--target", options->service.target, "Target of requests that state none")
      .show_default();
  command
      .add_option("--confidence", options->service.confidence,
                  "Confidence of requests that state none")
      .show_default();
  add_server_options(*options, command);
  command.set_example(
      "croco serve\n"
      "  croco serve --model german.json --data german --port 9000\n"
      "SIGTERM and Ctrl-C finish what runs; the exit code is then 0.");
  command.set_callback(
      [options, &environment] { environment.exit_code = run(*options, environment.stop()); });
}

}  // namespace cli
}  // namespace croco
