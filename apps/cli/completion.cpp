// SPDX-License-Identifier: Apache-2.0
// croco completion: a script for the shell, made from the options that the program really has.
#include <memory>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {
namespace {

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> flags_of(CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> words_of(CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  const std::vector<std::string> flags = flags_of(app);
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

std::string bash_script(CLI::App& program) {
  std::string out = "# bash completion for croco: source <(croco completion bash)\n_croco() {\n";
  out += "  local cur=${COMP_WORDS[COMP_CWORD]} words\n  COMPREPLY=()\n";
  out += "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n";
  for (CLI::App* command : commands_of(program)) {
    for (CLI::App* part : commands_of(*command)) {
      out += fmt::format("    '{} {}') words=\"{}\" ;;\n", command->get_name(), part->get_name(),
                         fmt::join(words_of(*part), " "));
    }
    out += fmt::format("    '{} '*) words=\"{}\" ;;\n", command->get_name(),
                       fmt::join(words_of(*command), " "));
  }
  out += fmt::format("    *) words=\"{}\" ;;\n  esac\n", fmt::join(words_of(program), " "));
  out += "  [[ $COMP_CWORD -eq 1 ]] && words=\"" +
         fmt::format("{}", fmt::join(words_of(program), " ")) + "\"\n";
  out += "  if [[ $cur == -* || -z $cur || $COMP_CWORD -le 2 ]]; then\n";
  out += "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n  fi\n";
  out += "  [[ ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- \"$cur\"))\n}\n";
  return out + "complete -o filenames -F _croco croco\n";
}

std::string fish_script(CLI::App& program) {
  std::string out = "# fish completion for croco: croco completion fish | source\n";
  const auto quoted = [](const std::string& text) {
    std::string safe;
    for (const char c : text) {
      if (c == '\'' || c == '\\') safe += '\\';
      safe += c;
    }
    return safe;
  };
  for (CLI::App* command : commands_of(program)) {
    out += fmt::format("complete -c croco -n __fish_use_subcommand -a {} -d '{}'\n",
                       command->get_name(), quoted(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        out +=
            fmt::format("complete -c croco -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                        command->get_name(), name, option->get_expected_min() > 0 ? " -r" : "",
                        quoted(option->get_description()));
      }
    }
    for (CLI::App* part : commands_of(*command)) {
      out += fmt::format("complete -c croco -n '__fish_seen_subcommand_from {}' -a {} -d '{}'\n",
                         command->get_name(), part->get_name(), quoted(part->get_description()));
    }
  }
  return out;
}

std::string script_for(CLI::App& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") {
    return "#compdef croco\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(program);
  }
  if (shell == "fish") return fish_script(program);
  throw InvalidArgument(fmt::format("shell is '{}'; it must be bash, zsh or fish", shell));
}

}  // namespace

void add_completion(CLI::App& program, Environment& environment) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("completion", "Print a completion script for bash, zsh or fish");
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  set_example(*command, "source <(croco completion bash)");
  command->callback([shell, &program, &environment] {
    print_out("{}", script_for(program, *shell));
    environment.exit_code = kOk;
  });
}

}  // namespace croco::cli
