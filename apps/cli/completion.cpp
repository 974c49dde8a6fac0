// SPDX-License-Identifier: Apache-2.0
// croco completion: a script for the shell, made from the options that the program really has.
#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/data/catalog.hpp>

namespace croco::cli {
namespace {

std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words;
  for (const Command& part : command.commands()) words.push_back(part.name());
  for (const Option& option : command.options()) {
    if (!option.long_name().empty()) words.push_back("--" + option.long_name());
  }
  return words;
}

/// What can follow an option.
struct Following {
  std::vector<std::string> values = {};
  std::vector<std::string> endings = {};  ///< of files
  bool folders = false;
  bool files = false;  ///< of any ending

  [[nodiscard]] bool free() const {
    return values.empty() && endings.empty() && !folders && !files;
  }
};

/// The words of options whose help says them in a sentence.
const std::map<std::string, std::vector<std::string>, std::less<>> kValues{
    {"activation", {"relu", "leaky_relu", "tanh", "sigmoid", "elu", "gelu"}},
    {"bound", {"clopper-pearson", "hoeffding", "empirical-bernstein"}},
    {"class-weights", {"equal", "balanced"}},
    {"cost", {"l1", "mad", "percentile"}},
    {"decision", {"label", "probability"}},
    {"kind", {"mlp", "logistic"}},
    {"method", {"certified", "croco", "probe", "wachter"}},
    {"missing", {"error", "drop", "impute", "keep"}},
    {"model-protocol", {"csv", "binary", "dataframe", "instances"}},
    {"noise",
     {"schema", "gaussian:sd=", "gaussian:variance=", "uniform:half-width=", "laplace:scale=",
      "student-t:scale="}},
    {"noise-on", {"all", "continuous", "movable", "changed"}},
    {"premium", {"on", "off"}},
    {"reasons", {"on", "off"}},
    {"score", {"logit", "probability"}},
    {"search", {"auto", "gradient", "gradient-free"}},
    {"swap", {"on", "off"}},
    {"shell", {"bash", "zsh", "fish"}},
    {"want", {"0", "1"}},
};

/// The endings of files that options take; behind a command's name where commands differ.
const std::map<std::string, std::vector<std::string>, std::less<>> kEndings{
    {"certificate", {"json", "jsonl"}},
    {"certify output", {"csv", "jsonl", "html"}},
    {"config", {"toml"}},
    {"counterfactuals", {"csv"}},
    {"data", {"csv"}},
    {"evaluate output", {"csv"}},
    {"explain output", {"csv", "jsonl", "html"}},
    {"extract", {"json"}},
    {"file", {"json", "onnx", "ubj", "txt"}},
    {"inspect output", {"json"}},
    {"manifest", {"json"}},
    {"model", {"json", "onnx", "ubj", "txt"}},
    {"noise-covariance", {"csv", "json"}},
    {"noise-file", {"csv"}},
    {"schema", {"json"}},
    {"scores", {"csv"}},
    {"train output", {"json"}},
    {"training", {"csv"}},
};

Following following(const std::string& command, const Option& option) {
  Following out;
  const std::string name = option.key();
  if (const auto found = kValues.find(name); found != kValues.end()) out.values = found->second;
  for (const std::string& key : {fmt::format("{} {}", command, name), name}) {
    const auto found = kEndings.find(key);
    if (found != kEndings.end() && out.endings.empty()) out.endings = found->second;
  }
  // Type names hold words as they are typed, such as NUMBER|best|all, and placeholders.
  const std::string type = option.type();
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    const std::string word = type.substr(begin, end - begin);
    const bool typed = !word.empty() && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || c == '-';
    });
    if (typed) out.values.push_back(word);
    if (word == "DIR") out.folders = true;
    if (word == "FILE" && out.endings.empty()) out.files = true;
    if (word == "NAME" && type.find("FILE") != std::string::npos) {
      for (const CatalogEntry& entry : catalog()) out.values.push_back(entry.name);
    }
    begin = end + 1;
  }
  return out;
}

/// One command with its options, as `model inspect` or `explain`.
struct NamedCommand {
  std::string name;
  Command command;
};

std::vector<NamedCommand> all_commands(const Command& program) {
  std::vector<NamedCommand> out;
  for (const Command& command : program.commands()) {
    for (const Command& part : command.commands()) {
      out.push_back({command.name() + " " + part.name(), part});
    }
    out.push_back({command.name(), command});
  }
  return out;
}

/// Sets what may follow in the variables of the script.
std::string bash_settings(const Following& next) {
  std::string out = fmt::format("values='{}' endings='{}'", fmt::join(next.values, " "),
                                fmt::join(next.endings, " "));
  if (next.folders) out += " kind=folder";
  if (next.files) out += " kind=file";
  if (next.free()) out += " kind=free";
  return out;
}

constexpr std::string_view kBashHead =
    R"(# bash completion for croco: source <(croco completion bash)
_croco() {
  local i=$COMP_CWORD last=${COMP_WORDS[COMP_CWORD]} cur prev command words
  local values= endings= kind= ending prefix
  COMPREPLY=()
  # bash splits words at = and :, which are part of values here.
  cur=$last
  while (( i > 1 )) && [[ $cur == [=:]* || ${COMP_WORDS[i-1]} == [=:] ]]; do
    i=$(( i - 1 ))
    cur=${COMP_WORDS[i]}$cur
  done
  [[ $last == [=:] ]] && last=
  prev=${COMP_WORDS[i-1]}
  [[ $cur == --*=* ]] && prev=${cur%%=*} cur=${cur#*=}
  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
)";

constexpr std::string_view kBashTail = R"(  esac
  if [[ -n $values$endings$kind ]]; then
    compopt +o filenames 2>/dev/null
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  elif [[ $cur == -* || -z $cur || $COMP_CWORD -le 2 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
  if [[ $kind != free ]]; then
    local files=()
    for ending in $endings; do
      local IFS=$'\n'
      files+=($(compgen -f -X "!*.$ending" -- "$cur"))
      unset IFS
    done
    local IFS=$'\n'
    [[ -n $endings || $kind == folder ]] && files+=($(compgen -d -- "$cur"))
    [[ $kind == file || ( -z $values$endings$kind && ${#COMPREPLY[@]} -eq 0 ) ]] &&
      files+=($(compgen -f -- "$cur"))
    unset IFS
    [[ ${#files[@]} -gt 0 ]] && compopt -o filenames 2>/dev/null
    COMPREPLY+=("${files[@]}")
  fi
  if [[ $cur == *"$last" ]]; then  # what stands before the last = or : is typed already
    prefix=${cur%"$last"}
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  else
    COMPREPLY=("${COMPREPLY[@]/#/${last%"$cur"}}")
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o filenames -F _croco croco
)";

std::string bash_script(const Command& program) {
  std::string out(kBashHead);
  std::string options;
  for (const auto& [name, command] : all_commands(program)) {
    const bool part = name.find(' ') != std::string::npos;
    out += fmt::format("    '{}{}) command='{}' words=\"{}\" ;;\n", name, part ? "'" : " '*", name,
                       fmt::join(words_of(command), " "));
    for (const Option& option : command.options()) {
      if (option.long_name().empty() || !option.takes_value()) continue;
      options += fmt::format("    '{} --{}') {} ;;\n", name, option.long_name(),
                             bash_settings(following(name, option)));
    }
    for (const Option& option : command.options()) {
      // What is no option: the file that a command is about.
      if (!option.long_name().empty()) continue;
      options += fmt::format("    '{} '[^-]*|'{} ') [[ $cur != -* ]] && {} ;;\n", name, name,
                             bash_settings(following(name, option)));
    }
  }
  const std::string all = fmt::format("{}", fmt::join(words_of(program), " "));
  out += fmt::format("    *) words=\"{}\" ;;\n  esac\n", all);
  out += fmt::format("  [[ $COMP_CWORD -eq 1 ]] && words=\"{}\" command=\n", all);
  return out + "  case \"$command $prev\" in\n" + options + std::string(kBashTail);
}

/// A text between single quotes.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string fish_option(const std::string& command, const std::string& condition,
                        const Option& option) {
  const Following next = following(command, option);
  std::vector<std::string> arguments = next.values;
  for (const std::string& ending : next.endings) {
    arguments.push_back(fmt::format("(__fish_complete_suffix .{})", ending));
  }
  if (next.folders) arguments.emplace_back("(__fish_complete_directories)");
  std::string takes;
  if (option.takes_value()) takes = next.files ? " -r" : " -x";
  if (!takes.empty() && !arguments.empty()) {
    takes += fmt::format(" -a '{}'", fmt::join(arguments, " "));
  }
  if (option.long_name().empty()) return {};
  return fmt::format("complete -c croco -n '{}' -l {}{} -d '{}'\n", condition, option.long_name(),
                     takes, quoted(option.description()));
}

std::string fish_script(const Command& program) {
  std::string out = "# fish completion for croco: croco completion fish | source\n";
  for (const Command& command : program.commands()) {
    const std::string name = command.name();
    const std::string seen = "__fish_seen_subcommand_from " + name;
    out += fmt::format("complete -c croco -n __fish_use_subcommand -a {} -d '{}'\n", name,
                       quoted(command.description()));
    for (const Option& option : command.options()) out += fish_option(name, seen, option);
    for (const Command& part : command.commands()) {
      out += fmt::format("complete -c croco -n '{}' -a {} -d '{}'\n", seen, part.name(),
                         quoted(part.description()));
      for (const Option& option : part.options()) {
        out += fish_option(name + " " + part.name(),
                           fmt::format("{}; and __fish_seen_subcommand_from {}", seen, part.name()),
                           option);
      }
    }
  }
  return out;
}

std::string script_for(const Command& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") {
    return "#compdef croco\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(program);
  }
  if (shell == "fish") return fish_script(program);
  throw InvalidArgument(fmt::format("shell is '{}'; it must be bash, zsh or fish", shell));
}

}  // namespace

void add_completion(Command& program, Environment& environment) {
  auto shell = std::make_shared<std::string>();
  Command command =
      program.add_command("completion", "Print a completion script for bash, zsh or fish");
  command.add_option("shell", *shell, "bash, zsh or fish").required();
  command.set_example("source <(croco completion bash)");
  command.set_callback([shell, program, &environment] {
    print_out("{}", script_for(program, *shell));
    environment.exit_code = kOk;
  });
}

}  // namespace croco::cli
