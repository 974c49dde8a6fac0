// SPDX-License-Identifier: Apache-2.0
#include <croco/report/manifest.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>
#include <tests/report/manifests.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::ordered_json;

class Manifest : public testing::Test {
 protected:
  Manifest() {
    context_.run = {.command = "explain", .options = {{"seed", "7"}, {"flip", "a=1"}}, .asked = 3};
    WholeManifest builder;
    for (const Explanation& answer : {answers::found(), answers::already(), answers::unmet()}) {
      lines_.push_back(json_line(context_, answer));
      builder.add(answer, lines_.back());
    }
    text_ = builder.finish(context_);
    manifest_ = Json::parse(text_);
  }
  [[nodiscard]] std::vector<std::string> faults(const std::vector<std::string>& lines) const {
    std::string report;
    for (const std::string& line : lines) report += line;
    return manifest_faults(manifest_.dump(), report);
  }
  [[nodiscard]] std::string reading(const Json& json) const {
    return message_of<DataError>([&] { return read_manifest(json.dump(), "m.json"); });
  }

  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
  std::vector<std::string> lines_;
  std::string text_;
  Json manifest_;
};

TEST_F(Manifest, StatesTheRunAndItsLines) {
  EXPECT_EQ(manifest_.at("asked"), 3);
  EXPECT_EQ(manifest_.at("rows"), 3);
  EXPECT_EQ(manifest_.at("statuses"), Json::parse(R"({"already":1,"found":1,"unmet":1})"));
  const StatedRun run = read_manifest(manifest_.dump(), "m.json");
  EXPECT_EQ(run.run.command, "explain");
  EXPECT_THAT(run.run.options, ElementsAre(std::pair<std::string, std::string>("seed", "7"),
                                           std::pair<std::string, std::string>("flip", "a=1")));
  EXPECT_EQ(run.method, "croco");
  EXPECT_EQ(run.target, 0.05);
  EXPECT_EQ(run.noise.noise.scale, 0.1);
  EXPECT_EQ(manifest_path("a/b.jsonl"), "a/b.jsonl.manifest.json");
}

TEST_F(Manifest, IsIndentedJsonToTheByte) {
  EXPECT_EQ(text_, manifest_.dump(1) + "\n");
  const std::string none = WholeManifest().finish(context_);
  EXPECT_EQ(none, Json::parse(none).dump(1) + "\n");
  EXPECT_THAT(Json::parse(none).at("lines"), IsEmpty());
}

TEST_F(Manifest, CountsTheSameWhateverPiecesItIsGiven) {
  std::string entries;
  ManifestBuilder builder;
  for (const std::size_t row : {5U, 5U, 0U}) entries += manifest_entry(row, 0, "found", "x\n");
  entries += manifest_entry(6, 1, "unmet", "x\n") + manifest_entry(6, 2, "unmet", "x\n");
  for (const char letter : entries) builder.take_entries({&letter, 1});
  std::string text;
  builder.finish(context_, *bytes_of_text(entries), [&](std::string_view part) { text += part; });
  EXPECT_EQ(Json::parse(text).at("rows"), 3) << "rows may come again, and in any order";
  EXPECT_EQ(Json::parse(text).at("statuses"), Json::parse(R"({"found":3,"unmet":1})"));
}

TEST_F(Manifest, NoticesEveryChangeOfTheLines) {
  EXPECT_THAT(faults(lines_), IsEmpty());
  const auto& [a, b, c] = std::tie(lines_[0], lines_[1], lines_[2]);
  const std::string missing =
      fmt::format("row {}, line 3 of the run, is missing or was edited", answers::unmet().row);
  EXPECT_THAT(faults({a, b}), ElementsAre(missing));
  EXPECT_THAT(faults({}), testing::SizeIs(3));
  EXPECT_THAT(
      faults({a, b, c, c}),
      ElementsAre("line 4 is not one that the run wrote: it was edited, added or repeated"));
  EXPECT_THAT(faults({b, a, c}), testing::SizeIs(2));
  EXPECT_THAT(faults({b, a, c})[0], HasSubstr("line 1 is row "));
  EXPECT_THAT(
      faults({a, b, c.substr(0, c.size() - 1)}),
      ElementsAre("line 3 is not one that the run wrote: it was cut off or edited", missing));
}

TEST_F(Manifest, NoticesWhatDoesNotFitInItself) {
  const auto with = [&](const char* key, const Json& value) {
    Json changed = manifest_;
    changed[key] = value;
    return manifest_faults(changed.dump(), lines_[0] + lines_[1] + lines_[2]);
  };
  EXPECT_THAT(with("rows", 4),
              ElementsAre("'rows' is 4; by the lines that the manifest lists it is 3"));
  EXPECT_THAT(with("asked", 2), ElementsAre("'asked' is 2; the manifest lists 3 rows"));
  EXPECT_THAT(with("statuses", Json::object()), testing::SizeIs(1));
  EXPECT_THAT(with("sha256", std::string(64, '0')),
              ElementsAre("'sha256' is not that of the whole report"));
  manifest_["lines"][0]["row"] = 99;
  EXPECT_THAT(faults(lines_), ElementsAre("line 1: 'row' is not what the manifest says of it"));
}

TEST_F(Manifest, EveryKeyIsNeededAndNoOther) {
  for (const auto& [key, value] : manifest_.items()) {
    if (key == "target") continue;  // methods without one have none
    Json changed = manifest_;
    changed.erase(key);
    EXPECT_THAT(reading(changed), HasSubstr(key == "croco_manifest" ? "is no manifest" : key));
    changed = manifest_;
    changed[key] = nullptr;
    EXPECT_THAT(reading(changed), HasSubstr(key));
  }
  Json more = manifest_;
  more["more"] = 1;
  EXPECT_EQ(reading(more), "m.json: the key 'more' is unknown; a manifest does not have it");
  Json other = manifest_;
  other["croco_manifest"] = 3;
  EXPECT_EQ(reading(other), "m.json: 'croco_manifest' is 3; this program reads versions 1 and 2");
  Json command = manifest_;
  command["command"] = "delete";
  EXPECT_EQ(reading(command),
            "m.json: 'command' is 'delete'; it must be explain, certify or empty");
}

}  // namespace
}  // namespace croco
