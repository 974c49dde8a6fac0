// SPDX-License-Identifier: Apache-2.0
// croco verify: does a certificate that somebody handed over hold?
#include <croco/explain/verify.hpp>

#include <cstdio>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/verification_report.hpp>

namespace croco::cli {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 30;

struct Options {
  ModelOptions model;
  VerifyOptions verify;
  std::string file;
  std::optional<std::size_t> row;
  std::optional<std::size_t> option;
  std::string extract;
};

/// A certificate and the text that it was read from.
struct Entry {
  StatedCertificate stated;
  std::string_view text;
};

/// One certificate over any number of lines, or one answer or certificate per line.
std::vector<Entry> read_entries(std::string_view bytes, const std::string& source) {
  std::vector<Entry> entries;
  const auto add = [&](std::string_view text, const std::string& where) {
    if (std::optional<StatedCertificate> stated = read_certificate(text, where)) {
      entries.push_back({std::move(*stated), text});
    }
  };
  const std::size_t first_line = bytes.find_first_of("\r\n");
  const std::string_view head = bytes.substr(0, first_line);
  if (head.find_last_not_of(" \t") == std::string_view::npos ||
      head[head.find_last_not_of(" \t")] != '}') {
    add(bytes, source);
    return entries;
  }
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const std::string_view text = bytes.substr(begin, end - begin);
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) {
      add(text, fmt::format("{}, line {}", source, line));
    }
    begin = end + 1;
  }
  return entries;
}

int run(const Options& options, const std::stop_token& stop) {
  const LoadedModel loaded = options.model.load();
  const std::string bytes = read_file(options.file, kMaxFileBytes);
  std::vector<Entry> entries = read_entries(bytes, options.file);
  if (options.row) {
    std::erase_if(entries, [&](const Entry& entry) { return entry.stated.row != options.row; });
  }
  if (options.option) {
    std::erase_if(entries, [&](const Entry& entry) {
      return entry.stated.option.value_or(1) != options.option;
    });
  }
  if (entries.empty()) {
    std::string what = fmt::format("{}: there is no certificate", options.file);
    if (options.row) what += fmt::format(" of row {}", *options.row);
    if (options.option) what += fmt::format(" of option {}", *options.option);
    throw DataError(options.row || options.option ? what : what + " in it");
  }
  if (!options.extract.empty() && entries.size() > 1) {
    throw InvalidArgument(fmt::format(
        "extract is '{}'; it takes one certificate, and {} has {}: choose one with --row{}",
        options.extract, options.file, entries.size(),
        entries.front().stated.option ? " and --option" : ""));
  }
  std::size_t holding = 0;
  for (const Entry& entry : entries) {
    Verification verification = verify(entry.stated, loaded, options.verify, stop);
    if (stop.stop_requested()) {
      fmt::print(stderr, "croco: interrupted; not every certificate was checked\n");
      return kInterrupted;
    }
    check_statement(entry.stated, loaded, verification);
    fmt::print("{}\n", verification_text(entry.stated, loaded, verification));
    holding += verification.holds() ? 1U : 0U;
  }
  const bool all = holding == entries.size();
  if (all && !options.extract.empty()) {
    write_file(options.extract, indented_certificate(entries.front().text));
  }
  fmt::print("{}", certificate_scope());
  std::fflush(stdout);
  if (all && !options.extract.empty()) fmt::print(stderr, "wrote {}\n", options.extract);
  fmt::print(stderr, "{} of {} certificates hold\n", holding, entries.size());
  return all ? kOk : kDoesNotHold;
}

}  // namespace

void add_verify(CLI::App& program, Environment& environment) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "verify", "Check certificates: make their draws again, and others of your own");
  command
      ->add_option("certificate", options->file,
                   "One certificate (JSON), or the .jsonl of explain or certify")
      ->required()
      ->type_name("FILE");
  options->model.add_to(*command);
  command->add_option("--row", options->row, "Only the certificate of this row");
  command->add_option("--option", options->option, "Only the certificates of this option");
  command
      ->add_option("--extract", options->extract,
                   "When it holds, write the one certificate to a file that can be handed over")
      ->type_name("FILE");
  command->add_option("--seed", options->verify.seed,
                      "Seed of the fresh draws, best one that the issuer could not know [the "
                      "certificate's + 1]");
  command->add_option("--samples", options->verify.samples, "Fresh draws per certificate")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--max-samples", options->verify.max_samples,
                   "Refuse certificates that planned more draws than this")
      ->capture_default_str();
  options->verify.threads = 0;
  command->add_option("--threads", options->verify.threads, "Threads; 0 for all there are")
      ->capture_default_str();
  set_example(*command,
              "croco explain --model german.json --data german --output advice.jsonl\n"
              "  croco verify advice.jsonl --model german.json --row 35 --seed 90210 \\\n"
              "      --extract certificate.json");
  command->callback(
      [options, &environment] { environment.exit_code = run(*options, environment.stop); });
}

}  // namespace croco::cli
