// SPDX-License-Identifier: Apache-2.0
#include <croco/base/compression.hpp>

#include <algorithm>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16U;
constexpr std::string_view kGzipStart = "\x1F\x8B";
constexpr std::string_view kZstdStart = "\x28\xB5\x2F\xFD";
/// Of zlib: a window of 32 KiB, and 16 more for the header and trailer of gzip.
constexpr int kGzipWindow = 15 + 16;
constexpr int kMaxWindowLog = 27;

[[noreturn]] void fail_damaged(const std::string& name, std::string_view format,
                               std::string_view reason) {
  throw IoError(fmt::format("{}: cannot decompress ({}): {}", name, format, reason));
}

/// The first bytes of a source, seen without taking them.
class PeekedBytes final : public ByteSource {
 public:
  explicit PeekedBytes(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  [[nodiscard]] std::string_view peek(std::size_t count) {
    while (front_.size() < count) {
      std::string block(count - front_.size(), '\0');
      const std::size_t got = source_->read(block);
      if (got == 0) break;
      front_.append(block, 0, got);
    }
    return front_;
  }
  std::size_t read(std::span<char> into) override {
    if (front_.empty()) return source_->read(into);
    const std::size_t count = std::min(into.size(), front_.size());
    std::copy_n(front_.data(), count, into.data());
    front_.erase(0, count);
    return count;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string front_;
};

/// Compressed bytes, block by block.
class Blocks {
 public:
  explicit Blocks(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), block_(kBlock) {}

  /// Empty at the end.
  [[nodiscard]] std::span<char> next() { return std::span(block_).first(source_->read(block_)); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> block_;
};

class GzipBytes final : public ByteSource {
 public:
  GzipBytes(std::unique_ptr<ByteSource> source, std::string name)
      : blocks_(std::move(source)), name_(std::move(name)) {
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) fail_damaged(name_, "gzip", "no memory");
  }
  ~GzipBytes() override { ::inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), kBlock));
    const std::size_t room = stream_.avail_out;
    while (stream_.avail_out == room && !done_) step();
    return room - stream_.avail_out;
  }

 private:
  void step() {
    if (stream_.avail_in == 0) {
      const std::span<char> block = blocks_.next();
      if (block.empty()) {
        if (inside_) fail_damaged(name_, "gzip", "it ends too early");
        done_ = true;
        return;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_in = static_cast<uInt>(block.size());
    }
    inside_ = true;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {  // of a member; another may follow
      inside_ = false;
      ::inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      fail_damaged(name_, "gzip", stream_.msg == nullptr ? "it is damaged" : stream_.msg);
    }
  }

  Blocks blocks_;
  std::string name_;
  z_stream stream_{};
  bool inside_ = false;
  bool done_ = false;
};

class ZstdBytes final : public ByteSource {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> source, std::string name)
      : blocks_(std::move(source)),
        name_(std::move(name)),
        stream_(::ZSTD_createDStream(), &::ZSTD_freeDStream) {
    ::ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  std::size_t read(std::span<char> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos == 0 && !done_) {
      if (in_.pos == in_.size && !more_inside_) {
        const std::span<char> block = blocks_.next();
        if (block.empty()) {
          if (inside_) fail_damaged(name_, "Zstandard", "it ends too early");
          done_ = true;
          break;
        }
        in_ = {block.data(), block.size(), 0};
      }
      const std::size_t code = ::ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (::ZSTD_isError(code) != 0U) fail_damaged(name_, "Zstandard", ::ZSTD_getErrorName(code));
      inside_ = code != 0;
      more_inside_ = inside_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  Blocks blocks_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  ZSTD_inBuffer in_{};
  bool inside_ = false;       ///< a frame
  bool more_inside_ = false;  ///< the decoder may hold bytes that did not fit
  bool done_ = false;
};

std::string gzip_member(std::string_view bytes) {
  z_stream stream{};
  constexpr int kMemory = 8;  // zlib's default
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    throw IoError("cannot compress (gzip): no memory");
  }
  std::string out(::deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  // zlib does not write to it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (code != Z_STREAM_END) throw IoError("cannot compress (gzip)");
  return out;
}

std::string zstd_frame(std::string_view bytes) {
  std::string out(::ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ::ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  if (::ZSTD_isError(size) != 0U) {
    throw IoError(fmt::format("cannot compress (Zstandard): {}", ::ZSTD_getErrorName(size)));
  }
  out.resize(size);
  return out;
}

}  // namespace

Compression compression_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".gz") return Compression::gzip;
  return ending == ".zst" ? Compression::zstd : Compression::none;
}

std::filesystem::path without_compression(const std::filesystem::path& path) {
  std::filesystem::path out = path;
  if (compression_of(path) != Compression::none) out.replace_extension();
  return out;
}

std::string compressed(Compression kind, std::string_view bytes) {
  if (bytes.empty()) return {};
  switch (kind) {
    case Compression::gzip:
      return gzip_member(bytes);
    case Compression::zstd:
      return zstd_frame(bytes);
    case Compression::none:
      break;
  }
  return std::string(bytes);
}

std::string Frames::add(std::string_view text) {
  if (kind_ == Compression::none) return std::string(text);
  constexpr std::size_t kFrame = std::size_t{1} << 20U;
  pending_ += text;
  std::string out;
  std::size_t begin = 0;
  for (; pending_.size() - begin >= kFrame; begin += kFrame) {
    out += compressed(kind_, std::string_view(pending_).substr(begin, kFrame));
  }
  pending_.erase(0, begin);
  return out;
}

std::string Frames::finish() { return compressed(kind_, std::exchange(pending_, {})); }

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, std::string name) {
  auto peeked = std::make_unique<PeekedBytes>(std::move(source));
  const std::string_view start = peeked->peek(kZstdStart.size());
  if (start.starts_with(kGzipStart)) {
    return std::make_unique<GzipBytes>(std::move(peeked), std::move(name));
  }
  if (start.starts_with(kZstdStart)) {
    return std::make_unique<ZstdBytes>(std::move(peeked), std::move(name));
  }
  return peeked;
}

}  // namespace croco
