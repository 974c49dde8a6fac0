// SPDX-License-Identifier: Apache-2.0
/// What the subcommands have in common: how they join the program and how they end.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <apps/cli/command_line.hpp>

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
void add_inspect(Command& program, Environment& environment);
void add_train(Command& program, Environment& environment);
void add_retrain(Command& program, Environment& environment);
void add_explain(Command& program, Environment& environment);
void add_audit(Command& program, Environment& environment);
void add_certify(Command& program, Environment& environment);
void add_verify(Command& program, Environment& environment);
void add_evaluate(Command& program, Environment& environment);
void add_reproduce(Command& program, Environment& environment);
void add_model(Command& program, Environment& environment);
void add_plan(Command& program, Environment& environment);
void add_serve(Command& program, Environment& environment);
void add_data(Command& program, Environment& environment);
void add_doctor(Command& program, Environment& environment);
void add_bench(Command& program, Environment& environment);
void add_completion(Command& program, Environment& environment);
void add_man(Command& program, Environment& environment);

}  // namespace croco::cli
