// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include <apps/cli/arguments.hpp>
#include <apps/cli/command.hpp>
#include <apps/cli/config_file.hpp>
#include <apps/cli/help_topics.hpp>
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
  draw_err(coloured("croco:", Colour::red, STDERR_FILENO));
  print_err(" {}\n", message);
  return code;
}

/// A mistake on the command line, or a call for help. Every mistake has the same exit code.
int end_parse(const Command& program, const ParseEnd& end, const ConfigFile& config,
              const std::vector<std::string>& words) {
  if (end.mistake && !program.chosen() && !program.remaining().empty()) {
    const std::string word = program.remaining().front();
    if (!word.starts_with('-')) return fail(kInvalidArgument, unknown_command(program, word));
  }
  if (end.mistake) {
    if (const auto unknown = unknown_option(program)) return fail(kInvalidArgument, *unknown);
    write_err(config.place_of(end.message, words));
  }
  write_err(end.err);
  write_out(end.out);
  return end.mistake ? kInvalidArgument : kOk;
}

void add_commands(Command& root, Environment& environment) {
  add_inspect(root, environment);
  add_model(root, environment);
  add_train(root, environment);
  add_retrain(root, environment);
  add_explain(root, environment);
  add_audit(root, environment);
  add_certify(root, environment);
  add_verify(root, environment);
  add_evaluate(root, environment);
  add_serve(root, environment);
  add_reproduce(root, environment);
  add_plan(root, environment);
  add_data(root, environment);
  add_doctor(root, environment);
  add_bench(root, environment);
  add_completion(root, environment);
  add_man(root, environment);
}

int run(int argc, char** argv) {
  Interrupt interrupt;
  Environment environment{.stop = [&] { return interrupt.take_requests(); }};
  Program program(
      "croco says what to change so that a classifier's no becomes a yes that survives noise, and "
      "proves how often it does.",
      "croco");
  Command root = program.root();
  ConfigFile config(root);
  root.require_command();
  program.set_version("--version", std::string(version()));
  program.set_config(
      "--config", "Read options from a TOML file, a section per command",
      [&](std::istream& input, const std::string& file) { return config.read(input, file); });
  program.set_help_all("--help-all", "Print this help with every option and exit");
  program.set_topics(help_topics());
  program.accept_options_anywhere();
  bool quiet = false;
  bool verbose = false;
  const Option hush = root.add_flag("--quiet", quiet, "Print answers and errors alone");
  root.add_flag("--verbose", verbose, "Also print settings and times").excludes(hush);
  root.set_footer(
      "`croco COMMAND --help` explains a command with an example, --help-all with every option; "
      "`croco man` lists the exit codes.");
  add_commands(root, environment);
  add_number_checks(root);
  sort_help(root);
  program.set_before_commands([&] {
    set_loudness(quiet ? Loudness::quiet : verbose ? Loudness::verbose : Loudness::normal);
    static_cast<void>(files_of(root));
  });
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  try {
    if (const auto end = program.parse(words)) return end_parse(root, *end, config, words);
  } catch (const InvalidArgument& error) {
    return fail(kInvalidArgument, config.place_of(error.what(), words) + error.what());
  }
  return environment.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  // A file that may not grow any more is an error of that file, like a full disk.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  try {
    const int code = run(argc, argv);
    flush_out();
    return code;
  } catch (const Stopped&) {
    return fail(kInterrupted,
                "interrupted while querying the model; unfinished rows are not written");
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
