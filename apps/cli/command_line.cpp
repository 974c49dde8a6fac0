// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/command_line.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace croco::cli {
namespace {

/// "-h,--help". The first long name is the option's; those behind it are former spellings.
std::string shown_names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  if (!option.get_lnames().empty()) names.push_back("--" + option.get_lnames().front());
  return names.empty() ? option.get_name(true) : CLI::detail::join(names);
}

/// An option that is not common has this behind the title of its topic; CLI11 keeps one text per
/// option, and this one is no part of a title.
constexpr std::string_view kRest = "\x1f";

std::string title_of(const CLI::Option& option) {
  const std::string& group = option.get_group();
  return group.ends_with(kRest) ? group.substr(0, group.size() - kRest.size()) : group;
}

/// "croco model inspect"
std::string full_name_of(const CLI::App* app) {
  std::string out = app->get_name();
  for (app = app->get_parent(); app != nullptr; app = app->get_parent()) {
    out.insert(0, app->get_name() + " ");
  }
  return out;
}

/// Hands CLI11 the items that a reader of ours makes of a file.
class ConfigAdapter final : public CLI::ConfigBase {
 public:
  ConfigAdapter(const CLI::App& app, Program::ConfigReader read)
      : app_(app), read_(std::move(read)) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> out;
    for (ConfigItem& item : read_(input, app_.get_config_ptr()->as<std::string>())) {
      CLI::ConfigItem& added = out.emplace_back();
      added.parents = std::move(item.parents);
      added.name = std::move(item.name);
      added.inputs = std::move(item.values);
    }
    return out;
  }

 private:
  const CLI::App& app_;
  Program::ConfigReader read_;
};

template <typename Value>
Option add_to(CLI::App& app, const std::string& names, Value& value, const std::string& help) {
  return Option(*app.add_option(names, value, help));
}

}  // namespace

/// Help by topic, common options first, that leaves out former spellings.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    label("SUBCOMMAND", "COMMAND");
    label("SUBCOMMANDS", "COMMANDS");
  }

  void set_topics(std::vector<std::string> titles) { topics_ = std::move(titles); }

  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return positional ? option->get_name(true) : shown_names_of(*option);
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
           topics_text(app, mode == CLI::AppFormatMode::All) +
           make_subcommands(app, CLI::AppFormatMode::Normal) + '\n' + make_footer(app);
  }

 private:
  std::string topics_text(const CLI::App* app, bool whole) const {
    std::string out;
    std::size_t hidden = 0;
    for (const std::string& title : titles_of(*app)) {
      std::vector<const CLI::Option*> shown;
      for (const bool common : {true, false}) {
        for (const CLI::Option* option : app->get_options()) {
          if (!option->nonpositional() || title_of(*option) != title) continue;
          if (option->get_group().ends_with(kRest) == common) continue;
          if (common || whole) {
            shown.push_back(option);
          } else {
            ++hidden;
          }
        }
      }
      if (!shown.empty()) out += make_group(title, false, std::move(shown));
    }
    if (hidden > 0) {
      out += fmt::format("\n`{} --help-all` lists {} more options.\n", full_name_of(app), hidden);
    }
    return out;
  }

  std::vector<std::string> titles_of(const CLI::App& app) const {
    std::vector<std::string> out = topics_;
    for (const CLI::Option* option : app.get_options()) {
      const std::string title = title_of(*option);
      const bool hidden = title.empty();
      if (!hidden && title != kNoTopic && std::ranges::find(out, title) == out.end())
        out.push_back(title);
    }
    out.emplace_back(kNoTopic);
    return out;
  }

  static constexpr const char* kNoTopic = "Options";  // what CLI11 puts an option in
  std::vector<std::string> topics_;
};

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::show_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::topic(const std::string& title, bool common) {
  option_->group(common ? title : title + std::string(kRest));
  return *this;
}

Option& Option::check(std::function<std::string(std::string&)> fault) {
  option_->transform(CLI::Validator(std::move(fault), ""));
  return *this;
}

std::string Option::name() const { return option_->get_name(); }

std::string Option::key() const { return option_->get_single_name(); }

std::string Option::long_name() const {
  return option_->get_lnames().empty() ? std::string() : option_->get_lnames().front();
}

std::string Option::shown_names() const { return shown_names_of(*option_); }

std::vector<std::string> Option::all_keys() const {
  return option_->get_lnames().empty() ? std::vector{key()} : option_->get_lnames();
}

std::string Option::type() const { return option_->get_type_name(); }

std::string Option::description() const { return option_->get_description(); }

std::string Option::default_text() const { return option_->get_default_str(); }

bool Option::takes_value() const { return option_->get_items_expected_max() > 0; }

bool Option::is_given() const { return option_->count() > 0; }

std::vector<std::string> Option::values() const { return option_->results(); }

Option Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, int& value, const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, double& value, const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, unsigned& value, const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, unsigned long& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, unsigned long long& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<int>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<double>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<unsigned long>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<unsigned long long>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::vector<std::string>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::vector<double>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::vector<unsigned long>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::vector<unsigned long long>& value,
                           const std::string& help) {
  return add_to(*app_, names, value, help);
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(*app_->add_flag(names, value, help));
}

Command Command::add_command(const std::string& name, const std::string& help) {
  return Command(*app_->add_subcommand(name, help)->group("Commands"));
}

void Command::require_command() { app_->require_subcommand(1); }

void Command::set_footer(const std::string& text) { app_->footer(text); }

void Command::set_callback(std::function<void()> run) { app_->callback(std::move(run)); }

std::string Command::name() const { return app_->get_name(); }

std::string Command::description() const { return app_->get_description(); }

std::string Command::footer() const { return app_->get_footer(); }

std::vector<Option> Command::options() const {
  std::vector<Option> out;
  for (CLI::Option* option : app_->get_options()) out.emplace_back(*option);
  return out;
}

std::optional<Option> Command::find_option(const std::string& name) const {
  CLI::Option* option = app_->get_option_no_throw(name);
  return option == nullptr ? std::nullopt : std::optional(Option(*option));
}

std::vector<Command> Command::commands() const {
  std::vector<Command> out;
  for (CLI::App* part : app_->get_subcommands([](CLI::App*) { return true; })) {
    out.emplace_back(*part);
  }
  return out;
}

std::optional<Command> Command::parent() const {
  CLI::App* app = app_->get_parent();
  return app == nullptr ? std::nullopt : std::optional(Command(*app));
}

std::optional<Command> Command::chosen() const {
  const std::vector<CLI::App*> parts = app_->get_subcommands();
  return parts.empty() ? std::nullopt : std::optional(Command(*parts.front()));
}

std::vector<std::string> Command::remaining() const { return app_->remaining(); }

std::vector<std::string> Command::all_remaining() const { return app_->remaining(true); }

Program::Program(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)),
      formatter_(std::make_shared<HelpFormatter>()) {
  app_->formatter(formatter_);
}

Program::~Program() = default;

Command Program::root() const { return Command(*app_); }

void Program::set_version(const std::string& flag, const std::string& text) {
  app_->set_version_flag(flag, text);
}

void Program::set_help_all(const std::string& flag, const std::string& help) {
  app_->set_help_all_flag(flag, help);
}

void Program::set_topics(std::vector<std::string> titles) {
  formatter_->set_topics(std::move(titles));
}

void Program::accept_options_anywhere() { app_->fallthrough(); }

void Program::set_config(const std::string& flag, const std::string& help, ConfigReader read) {
  app_->set_config(flag, "", help);
  app_->allow_config_extras(CLI::config_extras_mode::error);
  app_->config_formatter(std::make_shared<ConfigAdapter>(*app_, std::move(read)));
}

void Program::set_before_commands(std::function<void()> run) {
  app_->parse_complete_callback(std::move(run));
}

std::optional<ParseEnd> Program::parse(std::vector<std::string> words) {
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    static_cast<void>(app_->exit(error, out, err));
    return ParseEnd{error.get_exit_code() != 0, error.what(), out.str(), err.str()};
  }
  return std::nullopt;
}

}  // namespace croco::cli
