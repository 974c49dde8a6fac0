// SPDX-License-Identifier: Apache-2.0
#include <croco/data/url.hpp>

#include <string>

#include <gmock/gmock.h>

namespace croco {
namespace {

using testing::ElementsAre;

TEST(Url, IsShownWithoutWhatMayBeAKey) {
  for (const char* plain :
       {"", "http://host", "https://host:81/a/b", "http://[::1]:80/x", "words"}) {
    EXPECT_EQ(shown_url(plain), plain);
  }
  EXPECT_EQ(shown_url("https://me:word@host:8/a"), "https://***@host:8/a");
  EXPECT_EQ(shown_url("https://me@host"), "https://***@host");
  EXPECT_EQ(shown_url("me:word@host/a"), "***@host/a");
  EXPECT_EQ(shown_url("https://me:w/o@rd@host/a"), "https://***@host/a");
  EXPECT_EQ(shown_url("https://me:wo?rd@host/a"), "https://***");
  EXPECT_EQ(shown_url("http://host/a?key=word&b=&=c;word&&x=1#word"),
            "http://host/a?key=***&b=***&=***;***&&x=***#***");
  EXPECT_EQ(shown_url("http://host/?mail=me@host"), "http://host/?mail=***");
  EXPECT_EQ(shown_url("http://host?word"), "http://host?***");
}

TEST(Url, KnowsItsSecrets) {
  EXPECT_THAT(secrets_of_url("http://host/a"), ElementsAre());
  EXPECT_THAT(secrets_of_url("http://host/a?key=a%2Fb&c;d=%zz#e"),
              ElementsAre("a%2Fb", "a/b", "c", "%zz"));
}

}  // namespace
}  // namespace croco
