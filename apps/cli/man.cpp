// SPDX-License-Identifier: Apache-2.0
// croco man: the manual page, made from the options that the program really has.
#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/version.hpp>

namespace croco::cli {
namespace {

/// Text as roff shows it: dashes and backslashes escaped, no line that begins with a control.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string option_list(const Command& command) {
  std::string out;
  for (const Option& option : command.options()) {
    const std::string type =
        option.takes_value() ? " \\fI" + roff(option.type()) + "\\fR" : std::string();
    const std::string preset = option.default_text().empty()
                                   ? std::string()
                                   : " Default: " + roff(option.default_text()) + ".";
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}.{}\n", roff(option.shown_names()), type,
                       roff(option.description()), preset);
  }
  return out;
}

std::string command_section(const Command& command, const std::string& prefix) {
  const std::string name = prefix + command.name();
  std::string out = fmt::format(".SS \"{}\"\n{}.\n", roff(name), roff(command.description()));
  out += option_list(command);
  if (!command.footer().empty()) {
    out += ".PP\n.nf\n" + roff(command.footer()) + "\n.fi\n";
  }
  for (const Command& part : command.commands()) out += command_section(part, name + " ");
  return out;
}

std::string manual(const Command& program) {
  std::string out = fmt::format(".TH CROCO 1 \"\" \"croco {}\" \"User Commands\"\n", version());
  out += ".SH NAME\ncroco \\- counterfactual explanations whose robustness is proven\n";
  out += ".SH SYNOPSIS\n\\fBcroco\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  out += ".SH DESCRIPTION\n" + roff(program.description()) + "\n.SH OPTIONS\n";
  out += option_list(program) + ".SH COMMANDS\n";
  for (const Command& command : program.commands()) out += command_section(command, "croco ");
  out +=
      ".SH CONFIGURATION\nA file given with \\fB\\-\\-config\\fR holds options in TOML, in a "
      "section per command:\n.PP\n.nf\n[explain]\nmodel = \"german.json\"\ntarget = 0.1\n.fi\n"
      ".PP\nWhat the command line says wins.\n";
  out += ".SH EXIT STATUS\n";
  const std::pair<int, const char*> codes[] = {
      {kOk, "Success."},
      {kDoesNotHold, "A certificate that was verified does not hold."},
      {kInvalidArgument, "An option is wrong."},
      {kDataError, "The data or the schema are wrong."},
      {kModelError,
       "The model file is wrong or does not fit, or its scores are not those of --scores."},
      {kIoError, "A file or a connection failed."},
      {kSomeRowsFailed, "The run went through, but some rows could not be read."},
      {kNobodyHelped,
       "The run went through, but of the people who need advice nobody has any that does what it "
       "should: with explain, advice that meets the method's rule (certified, that the target is "
       "met); with certify --target, advice that is certified to meet the target."},
      {kInternalError, "A fault of the program."},
      {kInterrupted,
       "Interrupted by SIGINT, SIGTERM or SIGHUP; what was finished has been written."},
  };
  for (const auto& [code, text] : codes) out += fmt::format(".TP\n{}\n{}\n", code, text);
  out += ".SH ENVIRONMENT\n.TP\nCROCO_DATA_DIR\nFolder with the files of named data sets.\n";
  return out;
}

}  // namespace

void add_man(Command& program, Environment& environment) {
  Command command = program.add_command("man", "Print the manual page");
  command.set_example("croco man | man -l -");
  command.set_callback([program, &environment] {
    print_out("{}", manual(program));
    environment.exit_code = kOk;
  });
}

}  // namespace croco::cli
