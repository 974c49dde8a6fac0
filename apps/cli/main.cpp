// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/interrupt.hpp>
#include <apps/cli/safe_streams.hpp>
#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/base/version.hpp>

namespace {

using namespace croco;
using namespace croco::cli;

int fail(int code, std::string_view message) {
  fmt::print(stderr, "croco: {}\n", message);
  return code;
}

/// CLI11 would read -1 into a count as a huge number.
void refuse_negative_counts(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "UINT") continue;
    option->check([](const std::string& text) {
      return text.starts_with('-') ? fmt::format("is {}; it must not be negative", text)
                                   : std::string();
    });
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    refuse_negative_counts(*command);
  }
}

int run(int argc, char** argv) {
  const Interrupt interrupt;
  Environment environment{.stop = interrupt.token()};
  CLI::App program(
      "croco says what to change so that a classifier's no becomes a yes that survives noise, and "
      "proves how often it does.",
      "croco");
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string(version()));
  program.set_config("--config", "", "Read options from a TOML file, a section per command");
  program.allow_config_extras(CLI::config_extras_mode::error);
  program.fallthrough();
  program.footer("`croco COMMAND --help` explains a command with an example.");
  add_inspect(program, environment);
  add_model(program, environment);
  add_train(program, environment);
  add_explain(program, environment);
  add_certify(program, environment);
  add_verify(program, environment);
  add_evaluate(program, environment);
  add_reproduce(program, environment);
  add_plan(program, environment);
  add_data(program, environment);
  add_completion(program, environment);
  add_man(program, environment);
  refuse_negative_counts(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (program.get_subcommands().empty() && !program.remaining().empty()) {
      return fail(kInvalidArgument,
                  fmt::format("there is no command '{}'; `croco --help` lists the commands",
                              program.remaining().front()));
    }
    // CLI11 has exit codes of its own; ours has one for every mistake on the command line.
    // It writes to C++ streams, which `SafeStreams` does not see.
    std::ostringstream output;
    std::ostringstream errors;
    const int code = program.exit(error, output, errors) == 0 ? kOk : kInvalidArgument;
    fmt::print("{}", output.str());
    fmt::print(stderr, "{}", errors.str());
    return code;
  }
  return environment.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const SafeStreams safe_streams;
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return fail(kIoError, "standard output could not be written");
    }
    return code;
  } catch (const Stopped&) {
    return fail(kInterrupted,
                "stopped while the model was asked; what was not finished is not written");
  } catch (const InvalidArgument& error) {
    return fail(kInvalidArgument, error.what());
  } catch (const DataError& error) {
    return fail(kDataError, error.what());
  } catch (const ModelError& error) {
    return fail(kModelError, error.what());
  } catch (const IoError& error) {
    return fail(kIoError, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kInternalError, "out of memory");
  } catch (const std::exception& error) {
    return fail(kInternalError, error.what());
  }
}
