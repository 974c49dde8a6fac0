// SPDX-License-Identifier: Apache-2.0
/// What the subcommands have in common: how they join the program and how they end.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace croco::cli {

/// Exit codes; each kind of error has its own.
inline constexpr int kOk = 0;
inline constexpr int kDoesNotHold = 1;      ///< a certificate that was verified does not hold
inline constexpr int kInvalidArgument = 2;  ///< an option
inline constexpr int kDataError = 3;        ///< a row, a column, a schema
inline constexpr int kModelError = 4;      ///< a model file, or one whose scores are not the user's
inline constexpr int kIoError = 5;         ///< a path, a socket, a full disk
inline constexpr int kSomeRowsFailed = 6;  ///< the run went through, some rows could not be read
inline constexpr int kNobodyHelped =
    7;  ///< the run went through, and no advice does what it should
inline constexpr int kInternalError = 70;
inline constexpr int kInterrupted = 130;  ///< Ctrl-C, SIGTERM or SIGHUP

/// What a subcommand is given by the program.
struct Environment {
  /// For commands that end in good order on Ctrl-C: from this call on it only requests a stop.
  /// Commands that do not ask are ended by it at once.
  std::function<std::stop_token()> stop;
  int exit_code = kOk;  ///< set by the subcommand that ran
};

/// Each adds its subcommand to the program; when it is chosen, it runs and sets the exit code.
void add_inspect(CLI::App& program, Environment& environment);
void add_train(CLI::App& program, Environment& environment);
void add_explain(CLI::App& program, Environment& environment);
void add_certify(CLI::App& program, Environment& environment);
void add_verify(CLI::App& program, Environment& environment);
void add_evaluate(CLI::App& program, Environment& environment);
void add_reproduce(CLI::App& program, Environment& environment);
void add_model(CLI::App& program, Environment& environment);
void add_plan(CLI::App& program, Environment& environment);
void add_data(CLI::App& program, Environment& environment);
void add_completion(CLI::App& program, Environment& environment);
void add_man(CLI::App& program, Environment& environment);

/// The example that `--help` ends with.
inline void set_example(CLI::App& command, const std::string& example) {
  command.footer("Example:\n  " + example);
}

}  // namespace croco::cli
