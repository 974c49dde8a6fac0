// SPDX-License-Identifier: Apache-2.0
/// Commands, options and parsing. The parser, CLI11, is behind this boundary: its header takes
/// seconds to compile, so no other file of the program includes it.
///
///     Command plan = program.root().add_command("plan", "Choose m and K");
///     plan.add_option("--target", target, "Highest acceptable rate").show_default();
///     plan.set_callback([&] { run(target); });
///
/// `Option` and `Command` are handles: they are copied freely and point into the `Program`.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace croco::cli {

class HelpFormatter;

class Option {
 public:
  explicit Option(CLI::Option& option) noexcept : option_(&option) {}

  /// What stands for the value in the help, such as FILE.
  Option& type_name(const std::string& name);
  /// The help states the value that the variable has now.
  Option& show_default();
  /// The same for a value that is settled later.
  Option& show_default(const std::string& text);
  Option& required();
  Option& positive();
  /// One word may hold several values.
  Option& delimiter(char separator);
  Option& excludes(const Option& other);
  /// The part of the help that it stands in. Options that are not common stand there in the help of
  /// `--help-all` only.
  Option& topic(const std::string& title, bool common);
  /// Runs before all other checks, and may rewrite the text. Returns what is wrong, or nothing.
  Option& check(std::function<std::string(std::string&)> fault);

  /// "--data"; of a positional argument "data".
  [[nodiscard]] std::string name() const;
  /// "data", in files and manifests.
  [[nodiscard]] std::string key() const;
  /// "data", or nothing for a positional argument.
  [[nodiscard]] std::string long_name() const;
  /// "-h,--help": all but former spellings.
  [[nodiscard]] std::string shown_names() const;
  /// The keys of all spellings, the former ones too.
  [[nodiscard]] std::vector<std::string> all_keys() const;
  [[nodiscard]] std::string type() const;
  [[nodiscard]] std::string description() const;
  /// Empty when the help shows none.
  [[nodiscard]] std::string default_text() const;
  /// Flags take none.
  [[nodiscard]] bool takes_value() const;
  [[nodiscard]] bool is_given() const;
  /// As they were given.
  [[nodiscard]] std::vector<std::string> values() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) noexcept : app_(&app) {}

  /// `names`: "--data"; "data" for a positional argument. Behind a comma stand former spellings:
  /// "--alternatives,--options" is shown as --alternatives and accepts both. The variable must
  /// outlive the parse.
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, int& value, const std::string& help);
  Option add_option(const std::string& names, double& value, const std::string& help);
  // std::size_t and std::uint64_t are among these three on every platform.
  Option add_option(const std::string& names, unsigned& value, const std::string& help);
  Option add_option(const std::string& names, unsigned long& value, const std::string& help);
  Option add_option(const std::string& names, unsigned long long& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<int>& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<double>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::optional<unsigned long>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::optional<unsigned long long>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::vector<double>& value, const std::string& help);
  Option add_option(const std::string& names, std::vector<unsigned long>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::vector<unsigned long long>& value,
                    const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);

  Command add_command(const std::string& name, const std::string& help);
  /// One of its commands must be chosen.
  void require_command();
  /// What the help ends with.
  void set_footer(const std::string& text);
  /// The example that the help ends with.
  void set_example(const std::string& example) { set_footer("Example:\n  " + example); }
  /// Runs at the end of the parse, when the command is chosen.
  void set_callback(std::function<void()> run);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] std::vector<Option> options() const;
  /// "--data" or, positional, "data"; former spellings too.
  [[nodiscard]] std::optional<Option> find_option(const std::string& name) const;
  [[nodiscard]] std::vector<Command> commands() const;
  /// Nothing for the program itself.
  [[nodiscard]] std::optional<Command> parent() const;
  /// The command below this one that the command line names.
  [[nodiscard]] std::optional<Command> chosen() const;
  /// Words that were not understood.
  [[nodiscard]] std::vector<std::string> remaining() const;
  /// The same, those of the chosen commands included.
  [[nodiscard]] std::vector<std::string> all_remaining() const;

 private:
  CLI::App* app_;
};

/// A value of a configuration file.
struct ConfigItem {
  std::vector<std::string> parents;  ///< the commands, such as "data" and "show"
  std::string name;
  std::vector<std::string> values;
};

/// A parse that ended without a command: a mistake, or a call for help.
struct ParseEnd {
  bool mistake = false;
  std::string message;  ///< what is wrong
  std::string out;      ///< for standard output
  std::string err;      ///< for standard error
};

/// Owns the commands and their options.
class Program {
 public:
  explicit Program(const std::string& description = {}, const std::string& name = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] Command root() const;
  void set_version(const std::string& flag, const std::string& text);
  /// A flag that prints every option of a command. To be called before commands are added.
  void set_help_all(const std::string& flag, const std::string& help);
  /// The order of the topics in the help; others follow, those without a topic last.
  void set_topics(std::vector<std::string> titles);
  /// Options of the program may stand behind a command. To be called before commands are added.
  void accept_options_anywhere();
  /// An option that names a file with values of options; `read` gets the open file and its path.
  using ConfigReader = std::function<std::vector<ConfigItem>(std::istream&, const std::string&)>;
  void set_config(const std::string& flag, const std::string& help, ConfigReader read);
  /// Runs when the command line was understood, before the chosen command.
  void set_before_commands(std::function<void()> run);

  /// Parses the words behind the program's name and runs the chosen command, whose exceptions pass
  /// through.
  [[nodiscard]] std::optional<ParseEnd> parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
  std::shared_ptr<HelpFormatter> formatter_;
};

}  // namespace croco::cli
