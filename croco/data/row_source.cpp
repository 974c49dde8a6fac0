// SPDX-License-Identifier: Apache-2.0
#include <croco/data/row_source.hpp>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <croco/base/compression.hpp>
#include <croco/base/error.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/temporary_file.hpp>

namespace croco {
namespace {

[[noreturn]] void fail_rows(const std::string& name, std::string_view action, int error) {
  throw IoError(
      fmt::format("{}: cannot {}: {}", name, action, std::generic_category().message(error)));
}

bool is_same_file(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// What passes through is hashed.
class HashedBytes final : public ByteSource {
 public:
  HashedBytes(std::unique_ptr<ByteSource> source, Sha256& hash)
      : source_(std::move(source)), hash_(hash) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t got = source_->read(into);
    hash_.update({into.data(), got});
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  Sha256& hash_;
};

}  // namespace

/// A copy of what can be read only once, in a file without a name where the system has such.
class RowSource::Copy {
 public:
  Copy(ByteSource& source, const std::string& name)
      : file_(folder(), S_IRUSR | S_IWUSR), name_(name) {
    if (!file_.is_open()) {
      const int error = errno;
      fail_rows(name, fmt::format("be copied into the folder '{}'", folder().string()), error);
    }
    std::array<char, std::size_t{1} << 16U> block{};
    while (const std::size_t got = source.read(block)) append({block.data(), got});
  }
  [[nodiscard]] std::unique_ptr<ByteSource> open() const {
    return first_bytes_of(file_.get(), size_, name_);
  }

 private:
  [[nodiscard]] static std::filesystem::path folder() {
    std::error_code error;
    const std::filesystem::path out = std::filesystem::temp_directory_path(error);
    return error ? std::filesystem::path("/tmp") : out;
  }
  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::write(file_.get(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        fail_rows(name_, fmt::format("be copied into the folder '{}'", folder().string()), errno);
      }
      bytes.remove_prefix(static_cast<std::size_t>(put));
      size_ += static_cast<std::size_t>(put);
    }
  }

  TemporaryFile file_;
  std::string name_;
  std::size_t size_ = 0;
};

class RowSource::State {
 public:
  State(std::string name, std::optional<std::string> text, std::filesystem::path path)
      : name_(std::move(name)), text_(std::move(text)), path_(std::move(path)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] std::unique_ptr<ByteSource> open() {
    const std::lock_guard lock(mutex_);
    if (text_) return bytes_of_text(*text_);
    if (copy_) return copy_->open();
    const bool standard = path_ == "-";
    Descriptor file = standard ? duplicate(STDIN_FILENO) : open_descriptor(path_, O_RDONLY);
    struct stat status{};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0) fail_rows(name_, "open", errno);
    if (S_ISDIR(status.st_mode)) {
      throw IoError(fmt::format("{}: is a directory, not a file", name_));
    }
    if (S_ISREG(status.st_mode) && !standard) {
      if (first_ && !is_same_file(*first_, status)) {
        throw IoError(fmt::format("{}: has changed since the run began to read it", name_));
      }
      first_ = status;
      return bytes_of(std::move(file), name_);
    }
    copy_.emplace(*bytes_of(std::move(file), name_), name_);
    return copy_->open();
  }

 private:
  std::string name_;
  std::optional<std::string> text_;
  std::filesystem::path path_;
  std::mutex mutex_;
  std::optional<struct stat> first_;  ///< of a file, when it was first opened
  std::optional<Copy> copy_;
};

RowSource RowSource::file(const std::filesystem::path& path) {
  return RowSource(
      std::make_shared<State>(path == "-" ? "standard input" : path.string(), std::nullopt, path));
}

RowSource RowSource::text(std::string name, std::string text) {
  return RowSource(
      std::make_shared<State>(std::move(name), std::move(text), std::filesystem::path()));
}

const std::string& RowSource::name() const noexcept { return state_->name(); }

std::unique_ptr<ByteSource> RowSource::open() const { return decompressed(state_->open(), name()); }

std::unique_ptr<CsvReader> RowSource::read() const {
  return std::make_unique<CsvReader>(open(), name());
}

CsvTable RowSource::table() const {
  const std::unique_ptr<CsvReader> reader = read();
  CsvTable out = reader->table();
  for (CsvRow row; reader->next(row);) out.rows.push_back(std::move(row));
  return out;
}

RowScan scan(const RowSource& source) {
  Sha256 hash;
  CsvReader reader(std::make_unique<HashedBytes>(source.open(), hash), source.name());
  RowScan out{.head = reader.table(), .rows = 0, .fingerprint = {}};
  for (CsvRow row; reader.next(row);) ++out.rows;
  out.fingerprint = hash.finish();
  return out;
}

void require_rows(const RowScan& scanned) {
  if (scanned.rows == 0) require_rows(scanned.head);
}

}  // namespace croco
