// SPDX-License-Identifier: Apache-2.0
#include <croco/base/compression.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

/// Gives a few bytes at a time, as pipes do.
class Trickle final : public ByteSource {
 public:
  explicit Trickle(std::string text) : text_(std::move(text)) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), text_.size() - at_, std::size_t{7}});
    std::copy_n(text_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::string text_of_size(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i) out += std::to_string(i * i) + ",";
  out.resize(size);
  return out;
}

std::string read_back(const std::string& bytes) {
  return read_all(*decompressed(std::make_unique<Trickle>(bytes), "a"), "a", 1U << 30U);
}

TEST(CompressionTest, EveryTextComesBack) {
  for (const Compression kind : {Compression::none, Compression::gzip, Compression::zstd}) {
    for (const std::size_t size : {0U, 1U, 3U, 70'000U}) {
      const std::string text = text_of_size(size);
      EXPECT_EQ(read_back(compressed(kind, text)), text);
      EXPECT_EQ(read_back(compressed(kind, text) + compressed(kind, "more")), text + "more");
    }
  }
  EXPECT_LT(compressed(Compression::gzip, text_of_size(70'000)).size(), 50'000U);
  EXPECT_LT(compressed(Compression::zstd, text_of_size(70'000)).size(), 50'000U);
}

TEST(CompressionTest, FramesDoNotDependOnPieces) {
  const std::string text = text_of_size(2'500'000);
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    Frames whole(kind);
    std::string once = whole.add(text);
    once += whole.finish();  // in one expression, it might come first
    Frames pieces(kind);
    std::string many;
    for (std::size_t at = 0; at < text.size(); at += 12'345) {
      many += pieces.add(std::string_view(text).substr(at, 12'345));
      // Continued by another process, which has the pending text alone.
      if (at % 7 == 0) pieces = Frames(kind, pieces.pending());
    }
    many += pieces.finish();
    EXPECT_EQ(once, many);
    EXPECT_EQ(read_back(once), text);
  }
}

TEST(CompressionTest, NamesSayTheKind) {
  EXPECT_EQ(compression_of("a/b.csv.gz"), Compression::gzip);
  EXPECT_EQ(compression_of("b.jsonl.zst"), Compression::zstd);
  EXPECT_EQ(compression_of("b.csv"), Compression::none);
  EXPECT_EQ(without_compression("a/b.csv.gz"), "a/b.csv");
  EXPECT_EQ(without_compression("b.csv"), "b.csv");
}

TEST(CompressionTest, DamageIsAnError) {
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    const std::string whole = compressed(kind, text_of_size(70'000));
    EXPECT_THAT(message_of<IoError>([&] { return read_back(whole.substr(0, whole.size() / 2)); }),
                HasSubstr("a: cannot decompress"));
    std::string broken = whole;
    broken[whole.size() / 2] = static_cast<char>(~broken[whole.size() / 2]);
    broken[whole.size() / 2 + 1] = static_cast<char>(~broken[whole.size() / 2 + 1]);
    EXPECT_THAT(message_of<IoError>([&] { return read_back(broken); }),
                HasSubstr("a: cannot decompress"));
  }
}

TEST(CompressionTest, ALimitHoldsForWhatComesOut) {
  const std::string bomb = compressed(Compression::zstd, std::string(50'000'000, 'x'));
  EXPECT_LT(bomb.size(), 10'000U);
  const auto source = limited_bytes(decompressed(bytes_of_text(bomb), "b"), "b", 1'000'000);
  EXPECT_EQ(message_of<IoError>([&] { return read_all(*source, "b", 1U << 30U); }),
            "b: is larger than the 1000000 bytes that are allowed");
}

}  // namespace
}  // namespace croco
