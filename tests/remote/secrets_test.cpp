// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/secrets.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/remote/command_words.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string refused(const std::string& text) {
  return message_of<InvalidArgument>([&] { return parse_headers(text, "keys.txt").size(); });
}

TEST(Headers, OnePerLine) {
  EXPECT_THAT(parse_headers("# for the scoring team\n\nAuthorization:  Bearer abc=\r\nX-Id:\t7 \n",
                            "keys.txt"),
              ElementsAre("Authorization: Bearer abc=", "X-Id: 7"));
  EXPECT_THAT(parse_headers("A: b", "keys.txt"), ElementsAre("A: b"));
}

TEST(Headers, NamesTheLineAndNeverTheValue) {
  EXPECT_EQ(refused("A: b\ns3cret\n"), "keys.txt: line 2 is no header; it must be NAME: VALUE");
  EXPECT_EQ(refused("s3 cret: x"), "keys.txt: line 1 is no header; it must be NAME: VALUE");
  EXPECT_EQ(refused(": s3cret"), "keys.txt: line 1 is no header; it must be NAME: VALUE");
  EXPECT_EQ(refused("A:  \n"), "keys.txt: line 1 is a header without a value");
  const std::string control =
      "keys.txt: line 1 has a control character in its value, such as a carriage return";
  EXPECT_EQ(refused("A: s3cret\rX-Injected: 1\n"), control);
  EXPECT_EQ(refused(std::string("A: s3c\0ret", 10)), control);
  EXPECT_EQ(refused("A: s3cret\x1b[2J"), control);
  EXPECT_EQ(refused("content-LENGTH: 5"),
            "keys.txt: line 1 is header content-LENGTH, which croco sets itself");
  EXPECT_EQ(refused("Transfer-Encoding: chunked"),
            "keys.txt: line 1 is header Transfer-Encoding, which croco sets itself");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "A: s3cret\n";
  EXPECT_EQ(refused(many), "keys.txt: more than 64 headers");
}

TEST(Headers, FromAFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "croco-secrets-test-headers";
  write_file(path, "A: b\n");
  EXPECT_THAT(read_headers(path), ElementsAre("A: b"));
  write_file(path, "# nothing\n");
  EXPECT_THAT(message_of<InvalidArgument>([&] { return read_headers(path).size(); }),
              HasSubstr("there is no header in it"));
  std::filesystem::remove(path);
  EXPECT_THAT(message_of<IoError>([&] { return read_headers(path).size(); }),
              HasSubstr(path.string()));
}

TEST(Headers, AreForServersOnly) {
  RemoteOptions options{.address = "python3 x.py"};
  options.headers = {"A: b"};
  EXPECT_THAT(message_of<InvalidArgument>([&] { return validated(options).batch; }),
              HasSubstr("headers are for a model behind a URL"));
}

TEST(Secrets, AUrlThatIsRefusedIsShownWithoutItsKeys) {
  for (const char* address :
       {"https://me:s3cret@host/x", "me:s3cret@host", "https://me:s3/cret@host",
        "https://me:s3?cret@host", "ftp://host/?key=s3cret"}) {
    const RemoteOptions options{.kind = RemoteOptions::Kind::url, .address = address};
    const std::string message =
        message_of<InvalidArgument>([&] { return validated(options).batch; });
    EXPECT_THAT(message, HasSubstr("model-url is '")) << address;
    EXPECT_THAT(message, Not(HasSubstr("s3"))) << address;
    EXPECT_THAT(message, Not(HasSubstr("cret@"))) << address;
  }
}

TEST(Secrets, OfACommandAreHidden) {
  EXPECT_EQ(shown_command("python3 predict.py --depth 3 'a b'"),
            "python3 predict.py --depth 3 'a b'");
  EXPECT_EQ(shown_command("x --token s3cret --depth 3"), "x --token *** --depth 3");
  EXPECT_EQ(shown_command("x --api-key=s3cret -v"), "x --api-key=*** -v");
  EXPECT_EQ(shown_command("env API_KEY=s3cret x"), "env API_KEY=*** x");
  EXPECT_EQ(shown_command("x --password 's3 cret' y"), "x --password ***  y");
  EXPECT_EQ(shown_command("x --url https://me:s3cret@host/p?k=s3cret"),
            "x --url https://***@host/p?k=***");
  EXPECT_EQ(shown_command("curl -H 'Authorization: Bearer s3cret'"),
            "curl -H 'Authorization: Bearer ***");
  EXPECT_THAT(message_of<InvalidArgument>([] { return command_words("x --token 's3cret").size(); }),
              Not(HasSubstr("s3cret")));
}

TEST(Secrets, AreTakenOutOfWhatAServerSays) {
  RemoteOptions options{.kind = RemoteOptions::Kind::url,
                        .address = "https://host/x?key=ab%2Fcd&v=1"};
  options.headers = {"Authorization: Bearer t0ken", "X-Key: s3 cret"};
  EXPECT_EQ(without_secrets("no: Bearer t0ken, t0ken, s3 cret, ab%2Fcd, ab/cd, 1", options),
            "no: ***, ***, ***, ***, ***, 1");
}

}  // namespace
}  // namespace croco
