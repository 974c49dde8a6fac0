// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

namespace croco::embedded {

extern const std::string_view report_page;

}  // namespace croco::embedded

namespace croco {
namespace {

std::string bundled_page() {
  std::ifstream file(CROCO_REPORT_PAGE, std::ios::binary);
  EXPECT_TRUE(file) << CROCO_REPORT_PAGE;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(ReportPage, IsEmbeddedByteByByte) {
  // EXPECT_EQ would print both pages.
  EXPECT_TRUE(embedded::report_page == bundled_page());
}

TEST(ReportPage, HasOnePlaceForTheData) {
  const std::string_view page = embedded::report_page;
  if (page.empty()) GTEST_SKIP() << "built without pages";
  constexpr std::string_view kPlace =
      R"(<script type="application/json" id="croco-data">/*croco-data*/</script>)";
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  const std::size_t place = page.find(kPlace);
  ASSERT_NE(place, std::string_view::npos);
  EXPECT_EQ(page.find("/*croco-data*/"), page.rfind("/*croco-data*/"));
}

}  // namespace
}  // namespace croco
