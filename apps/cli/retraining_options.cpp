// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/retraining_options.hpp>

#include <algorithm>
#include <glob.h>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco::cli {

std::vector<std::filesystem::path> matching_files(const std::string& option,
                                                  const std::vector<std::string>& patterns) {
  namespace fs = std::filesystem;
  std::vector<fs::path> out;
  for (const std::string& text : patterns) {
    const std::string pattern = fs::is_directory(text) ? (fs::path(text) / "*").string() : text;
    glob_t found{};
    const int failed = ::glob(pattern.c_str(), 0, nullptr, &found);
    const std::size_t before = out.size();
    for (std::size_t i = 0; failed == 0 && i < found.gl_pathc; ++i) {
      if (!fs::is_directory(found.gl_pathv[i])) out.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
    if (out.size() > before) continue;
    throw InvalidArgument(
        fmt::format("{} is '{}'; it must name files, and none is there", option, text));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void RetrainingOptions::add_to(Command& command) {
  command
      .add_option("--models", models,
                  "Retrained models of one recipe, such as 'folder/*': advice has to survive them "
                  "too; may be repeated (see docs/concepts/model-change.md)")
      .type_name("GLOB");
  command.add_option("--search-models", search_models,
                     "With --models: how many of them the search may see; the others certify [a "
                     "third]");
  command.add_option("--model-confidence", confidence,
                     "With --models: confidence of each statement about retrained models [0.95]");
  command.add_option("--model-samples", samples,
                     "With --models: noise samples for each certifying model [1000]");
  command.add_option("--model-limit", limit,
                     "With --models: failure rate above which a model counts in the share [the "
                     "target, or 0.1]");
}

std::shared_ptr<const ModelPopulation> RetrainingOptions::load(const ModelOptions& model,
                                                               const SourceOptions* people,
                                                               const LoadedModel& like,
                                                               unsigned threads) const {
  if (models.empty()) {
    const auto refuse = [](bool given, std::string_view option) {
      if (given)
        throw InvalidArgument(fmt::format("{} is for --models, which is not given", option));
    };
    refuse(search_models.has_value(), "search-models");
    refuse(confidence.has_value(), "model-confidence");
    refuse(samples.has_value(), "model-samples");
    refuse(limit.has_value(), "model-limit");
    return nullptr;
  }
  return std::make_shared<const ModelPopulation>(
      load_population(matching_files("models", models), like, model.loading(people),
                      {.search_models = search_models, .threads = threads}));
}

ModelChangeOptions RetrainingOptions::resolve() const {
  ModelChangeOptions out;
  out.confidence = confidence.value_or(out.confidence);
  out.samples = samples.value_or(out.samples);
  out.limit = limit;
  validate(out);
  return out;
}

}  // namespace croco::cli
