// SPDX-License-Identifier: Apache-2.0
#include <croco/data/fetch.hpp>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>

#include "loopback.hpp"

namespace croco {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

/// Large enough to arrive in several pieces.
std::string sample_text() {
  std::string text = "age,income\n";
  for (int row = 0; text.size() < 300'000; ++row) text += fmt::format("{},{}\n", row, 7 * row);
  return text;
}

class FetchTest : public ::testing::Test {
 protected:
  FetchTest() {
    std::string pattern = (fs::temp_directory_path() / "croco-fetch-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    root_ = pattern;
    entry_ = {.name = "sample",
              .file = "sample.csv",
              .rows = 1,
              .sha256 = sha256(text_),
              .urls = {},
              .description = "",
              .licence = "",
              .embedded = false};
    options_.folder = root_ / "cache" / "croco";
    options_.timeout = 10s;
  }
  ~FetchTest() override { fs::remove_all(root_); }

  fs::path fetch_from(std::vector<std::string> urls) {
    entry_.urls = std::move(urls);
    return fetch(entry_, options_);
  }
  /// The message of the IoError that fetching must end with.
  std::string failure(std::vector<std::string> urls) {
    try {
      fetch_from(std::move(urls));
    } catch (const IoError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no IoError";
    return {};
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(fs::is_empty(root_)) << "left behind: " << fs::directory_iterator(root_)->path();
  }

  std::string text_ = sample_text();
  fs::path root_;
  CatalogEntry entry_;
  FetchOptions options_;
};

/// Those that take more than some seconds.
class SlowFetchTest : public FetchTest {};

TEST_F(FetchTest, WritesTheFileAndReportsProgress) {
  Loopback server;
  server.serve("/sample.csv", text_);
  server.start();
  std::vector<std::uintmax_t> seen;
  options_.progress = [&](std::uintmax_t done, std::uintmax_t total) {
    EXPECT_EQ(total, text_.size());
    seen.push_back(done);
  };

  const fs::path path = fetch_from({server.url("/sample.csv")});

  EXPECT_EQ(path, options_.folder / "sample.csv");
  EXPECT_EQ(read_file(path), text_);
  ASSERT_GT(seen.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), text_.size());
  EXPECT_EQ(std::distance(fs::directory_iterator(options_.folder), {}), 1);
}

TEST_F(FetchTest, AcceptsABodyWithoutContentLength) {
  const RawServer server("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text_,
                         RawServer::Then::close);
  std::uintmax_t last_total = 1;
  options_.progress = [&](std::uintmax_t, std::uintmax_t total) { last_total = total; };
  EXPECT_EQ(read_file(fetch_from({server.url()})), text_);
  EXPECT_EQ(last_total, 0U);
}

TEST_F(FetchTest, OverridingUrlsReplaceTheEntrysOwn) {
  Loopback server;
  server.serve("/mirror", text_);
  server.start();
  options_.urls = {server.url("/mirror")};
  EXPECT_EQ(read_file(fetch_from({"http://127.0.0.1:1/never"})), text_);
}

TEST_F(FetchTest, KeepsAFileThatIsAlreadyRight) {
  fs::create_directories(options_.folder);
  write_file(options_.folder / "sample.csv", text_);
  EXPECT_EQ(fetch_from({"http://127.0.0.1:1/never"}), options_.folder / "sample.csv");
}

TEST_F(FetchTest, ReplacesAWrongFileOnlyOnSuccess) {
  Loopback server;
  server.serve("/good", text_);
  server.serve("/bad", "something else");
  server.start();
  fs::create_directories(options_.folder);
  const fs::path target = options_.folder / "sample.csv";
  write_file(target, "old");

  failure({server.url("/bad")});
  EXPECT_EQ(read_file(target), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(options_.folder), {}), 1);

  fetch_from({server.url("/good")});
  EXPECT_EQ(read_file(target), text_);
}

TEST_F(FetchTest, RefusesAnotherDigest) {
  Loopback server;
  server.serve("/sample.csv", "something else");
  server.start();
  const std::string message = failure({server.url("/sample.csv")});
  EXPECT_THAT(message, HasSubstr("data set 'sample': sample.csv could not be fetched"));
  EXPECT_THAT(message, HasSubstr(server.url("/sample.csv") + ": the file is another one"));
  EXPECT_THAT(message, HasSubstr("its SHA-256 is " + sha256("something else")));
  EXPECT_THAT(message, HasSubstr("expected " + entry_.sha256));
  EXPECT_THAT(message, HasSubstr("put into " + options_.folder.string() + " by hand"));
  expect_nothing_left();
}

TEST_F(FetchTest, SaysWhereTheConnectionWasCut) {
  const RawServer server("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n0123456789",
                         RawServer::Then::close);
  EXPECT_THAT(failure({server.url()}), HasSubstr("the connection was cut after 10 of 5000 bytes"));
  expect_nothing_left();
}

TEST_F(FetchTest, SaysThatNoAnswerCame) {
  const RawServer server("", RawServer::Then::close);
  EXPECT_THAT(failure({server.url()}), HasSubstr("the connection was closed before an answer"));
  expect_nothing_left();
}

TEST_F(FetchTest, TriesTheNextUrl) {
  Loopback server;
  server.serve("/second", text_);
  server.start();
  EXPECT_EQ(read_file(fetch_from({server.url("/first"), server.url("/second")})), text_);
}

TEST_F(FetchTest, SaysOfEveryUrlWhatHappened) {
  Loopback server;
  server.start();
  const std::string message =
      failure({server.url("/a"), "http://127.0.0.1:1/b", "ftp://127.0.0.1/c",
               "http://127.0.0.1:99999999999/d", "http://user:word@127.0.0.1/e"});
  EXPECT_THAT(message, HasSubstr("\n  " + server.url("/a") + ": HTTP 404"));
  EXPECT_THAT(message, HasSubstr("\n  http://127.0.0.1:1/b: no connection to http://127.0.0.1:1"));
  EXPECT_THAT(message, HasSubstr("\n  ftp://127.0.0.1/c: not a URL"));
  EXPECT_THAT(message, HasSubstr("\n  http://127.0.0.1:99999999999/d: not a URL"));
  EXPECT_THAT(message, HasSubstr("\n  http://***@127.0.0.1/e: not a URL"));
  expect_nothing_left();
}

TEST_F(FetchTest, RefusesAnAnnouncedSizeAboveTheLimit) {
  Loopback server;
  server.serve("/sample.csv", text_);
  server.start();
  options_.max_bytes = text_.size() - 1;
  bool received = false;
  options_.progress = [&](std::uintmax_t, std::uintmax_t) { received = true; };
  EXPECT_THAT(failure({server.url("/sample.csv")}),
              HasSubstr(fmt::format("larger than the limit of {} bytes", text_.size() - 1)));
  EXPECT_FALSE(received);
  expect_nothing_left();

  options_.max_bytes = text_.size();
  EXPECT_EQ(read_file(fetch_from({server.url("/sample.csv")})), text_);
}

TEST_F(FetchTest, RefusesAnUnannouncedSizeAboveTheLimit) {
  const RawServer server("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text_,
                         RawServer::Then::close);
  options_.max_bytes = text_.size() - 1;
  EXPECT_THAT(failure({server.url()}), HasSubstr("larger than the limit"));
  expect_nothing_left();
}

TEST_F(FetchTest, FollowsAbsoluteAndRelativeRedirects) {
  Loopback server;
  Loopback other;
  other.redirect("/folder/hop", "third?x=1");
  other.redirect("/folder/third", "/end");
  other.serve("/end", text_);
  other.start();
  server.redirect("/start", other.url("/folder/hop"));
  server.start();
  EXPECT_EQ(read_file(fetch_from({server.url("/start")})), text_);
}

TEST_F(FetchTest, EndsAChainOfRedirects) {
  Loopback server;
  std::atomic<int> requests = 0;
  server.handle("/loop", [&](const TestRequest&, TestResponse& response) {
    ++requests;
    response.redirect("/loop");
  });
  server.start();
  EXPECT_THAT(failure({server.url("/loop")}), HasSubstr("more than 5 redirects"));
  EXPECT_EQ(requests, kMaxRedirects + 1);
  expect_nothing_left();
}

TEST_F(FetchTest, RefusesARedirectThatLeadsNowhere) {
  Loopback server;
  server.redirect("/file", "file:///etc/hostname");
  server.redirect("/user", "http://user:word@127.0.0.1/");
  server.handle("/silent",
                [](const TestRequest&, TestResponse& response) { response.status = 302; });
  server.start();
  const std::string message =
      failure({server.url("/file"), server.url("/user"), server.url("/silent")});
  EXPECT_THAT(message, HasSubstr("redirects to 'file:///etc/hostname'; only http:// and https:// "
                                 "without a user name are followed"));
  EXPECT_THAT(message, HasSubstr("redirects to 'http://***@127.0.0.1/'; only"));
  EXPECT_THAT(message, HasSubstr("HTTP 302 without a target"));
}

TEST_F(SlowFetchTest, GivesUpOnASilentServer) {
  const RawServer mute("", RawServer::Then::hang);
  const RawServer stalled("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nage", RawServer::Then::hang);
  options_.timeout = 1s;
  const auto start = std::chrono::steady_clock::now();
  const std::string message = failure({mute.url(), stalled.url()});
  EXPECT_LT(std::chrono::steady_clock::now() - start, 8s);
  EXPECT_THAT(message, HasSubstr("no answer within 1 s"));
  EXPECT_THAT(message, HasSubstr("fewer than 256 bytes/s for 1 s, after 3 of 9 bytes"));
  expect_nothing_left();
}

TEST_F(FetchTest, SaysThatTheDiskIsFullAndTriesNoOtherUrl) {
  Loopback server;
  server.serve("/a", text_);
  server.serve("/b", text_);
  server.start();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = 65'536, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const std::string message = failure({server.url("/a"), server.url("/b")});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_THAT(message, HasSubstr(server.url("/a")));
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_THAT(message, Not(HasSubstr(server.url("/b"))));
  expect_nothing_left();
}

TEST_F(FetchTest, NamesAFolderThatCannotBeMade) {
  write_file(root_ / "file", "");
  options_.folder = root_ / "file" / "croco";
  EXPECT_THAT(failure({"http://127.0.0.1:1/x"}),
              HasSubstr(options_.folder.string() + ": cannot create this folder"));
  options_.folder = root_ / "file";
  EXPECT_THAT(failure({"http://127.0.0.1:1/x"}),
              HasSubstr(options_.folder.string() + ": cannot create this folder"));
  EXPECT_TRUE(fs::is_regular_file(root_ / "file"));
}

TEST_F(FetchTest, NamesAFolderThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directories(options_.folder);
  fs::permissions(options_.folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(failure({"http://127.0.0.1:1/x"}), HasSubstr(options_.folder.string()));
  fs::permissions(options_.folder, fs::perms::owner_all);
  EXPECT_TRUE(fs::is_empty(options_.folder));
}

TEST_F(FetchTest, NamesATargetThatIsAFolder) {
  fs::create_directories(options_.folder / "sample.csv");
  EXPECT_THAT(failure({"http://127.0.0.1:1/x"}),
              HasSubstr((options_.folder / "sample.csv").string()));
  EXPECT_EQ(std::distance(fs::directory_iterator(options_.folder), {}), 1);
}

TEST_F(FetchTest, StopsWhenAsked) {
  Loopback server;
  server.serve("/sample.csv", text_);
  server.start();
  std::stop_source source;
  options_.stop = source.get_token();
  options_.progress = [&](std::uintmax_t, std::uintmax_t) { source.request_stop(); };
  EXPECT_EQ(failure({server.url("/sample.csv"), server.url("/sample.csv")}),
            "data set 'sample': the download was cancelled");
  expect_nothing_left();
}

TEST_F(FetchTest, StopsWhileTheServerIsSilent) {
  const RawServer mute("", RawServer::Then::hang);
  options_.timeout = 60s;
  std::stop_source source;
  options_.stop = source.get_token();
  std::thread canceller([&] {
    std::this_thread::sleep_for(200ms);
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(failure({mute.url()}), HasSubstr("cancelled"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  canceller.join();
  expect_nothing_left();
}

TEST_F(FetchTest, PassesOnWhatTheProgressCallbackThrows) {
  Loopback server;
  server.serve("/sample.csv", text_);
  server.start();
  options_.progress = [](std::uintmax_t, std::uintmax_t) { throw std::domain_error("enough"); };
  EXPECT_THROW(fetch_from({server.url("/sample.csv")}), std::domain_error);
  expect_nothing_left();
}

TEST_F(FetchTest, RefusesWrongRequests) {
  EXPECT_THROW(fetch_from({}), InvalidArgument);
  options_.timeout = 0s;
  EXPECT_THROW(fetch_from({"http://127.0.0.1:1/x"}), InvalidArgument);
  options_.timeout = 1s;
  options_.max_bytes = 0;
  EXPECT_THROW(fetch_from({"http://127.0.0.1:1/x"}), InvalidArgument);
  EXPECT_THROW(fetch(*find_entry("german")), InvalidArgument);
  expect_nothing_left();
}

TEST_F(SlowFetchTest, EndsAnAnswerThatTakesTooLong) {
  const RawServer server("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
                         RawServer::Then::drip);
  options_.timeout = 1s;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(failure({server.url()}), HasSubstr("fewer than 256 bytes/s for 1 s, after "));
  options_.timeout = 10s;
  options_.total = 1s;
  EXPECT_THAT(failure({server.url()}), HasSubstr("not complete within 1 s, after "));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 8s);
  expect_nothing_left();
}

TEST_F(FetchTest, HidesKeysInItsMessages) {
  const std::string message = failure(
      {"http://127.0.0.1:1/b?key=s3cret&v=2", "https://me:s3cret@127.0.0.1/", "s3cret@host"});
  EXPECT_THAT(message, HasSubstr("\n  http://127.0.0.1:1/b?key=***&v=***: no connection"));
  EXPECT_THAT(message, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace croco
