// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <apps/cli/arguments.hpp>
#include <apps/cli/command.hpp>
#include <apps/cli/config_file.hpp>
#include <apps/cli/interrupt.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/run_files.hpp>
#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/base/version.hpp>

namespace {

using namespace croco;
using namespace croco::cli;

int fail(int code, std::string_view message) {
  print_err("croco: {}\n", message);
  return code;
}

/// A mistake on the command line, or a call for help. CLI11 has exit codes of its own; ours has one
/// for every mistake.
int end_parse(const CLI::App& program, const CLI::ParseError& error, const ConfigFile& config,
              const std::vector<std::string>& words) {
  const bool mistake = error.get_exit_code() != 0;
  if (mistake && program.get_subcommands().empty() && !program.remaining().empty()) {
    const std::string word = program.remaining().front();
    if (!word.starts_with('-')) return fail(kInvalidArgument, unknown_command(program, word));
  }
  if (mistake) {
    if (const auto unknown = unknown_option(program)) return fail(kInvalidArgument, *unknown);
  }
  std::ostringstream out;
  std::ostringstream err;
  static_cast<void>(program.exit(error, out, err));
  if (mistake) write_err(config.place_of(error.what(), words));
  write_err(err.str());
  write_out(out.str());
  return mistake ? kInvalidArgument : kOk;
}

int run(int argc, char** argv) {
  Interrupt interrupt;
  Environment environment{.stop = [&] { return interrupt.take_requests(); }};
  CLI::App program(
      "croco says what to change so that a classifier's no becomes a yes that survives noise, and "
      "proves how often it does.",
      "croco");
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string(version()));
  program.set_config("--config", "", "Read options from a TOML file, a section per command");
  program.allow_config_extras(CLI::config_extras_mode::error);
  program.fallthrough();
  program.footer(
      "`croco COMMAND --help` explains a command with an example; `croco man` lists the exit "
      "codes.");
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
  add_number_checks(program);
  const auto config = std::make_shared<ConfigFile>(program);
  program.config_formatter(config);
  program.parse_complete_callback([&] { static_cast<void>(files_of(program)); });
  const std::vector<std::string> words(argv, argv + argc);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return end_parse(program, error, *config, words);
  } catch (const InvalidArgument& error) {
    return fail(kInvalidArgument, config->place_of(error.what(), words) + error.what());
  }
  return environment.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  try {
    const int code = run(argc, argv);
    flush_out();
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
