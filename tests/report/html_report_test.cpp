// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <croco/base/version.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HtmlReport : public testing::Test {
 protected:
  [[nodiscard]] static std::string page(const ReportContext& context,
                                        const std::vector<Explanation>& answers) {
    return html_page(context, answers);
  }

  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
};

TEST_F(HtmlReport, StandsAlone) {
  const std::string html = page(context_, {answers::found()});
  EXPECT_THAT(html, AllOf(StartsWith("<!doctype html>\n"), EndsWith("</html>\n")));
  EXPECT_THAT(html,
              AllOf(Not(HasSubstr("<script ")), Not(HasSubstr("<link")), Not(HasSubstr("http:")),
                    Not(HasSubstr("https:")), Not(HasSubstr("src=")), Not(HasSubstr("url("))));
  EXPECT_THAT(html, HasSubstr("Model people. Method croco, gaussian noise (sd 0.1) on continuous "
                              "columns, target 5 %, threshold 0.5."));
  EXPECT_THAT(html, HasSubstr("model SHA-256 " + std::string(64, 'a')));
  EXPECT_THAT(html, HasSubstr("croco " + std::string(version())));
}

TEST_F(HtmlReport, ShowsEveryAnswerAndCountsThem) {
  const std::string html = page(context_, {answers::found(), answers::found(), answers::unmet(),
                                           answers::infeasible(), answers::error()});
  EXPECT_THAT(html, HasSubstr("<li><b>2</b>found</li>\n<li><b>1</b>unmet</li>\n"
                              "<li><b>1</b>infeasible</li>\n<li><b>1</b>error</li>\n</ul>"));
  EXPECT_THAT(html, HasSubstr("<article class=\"unmet\" id=\"row-3\">"));
  EXPECT_THAT(html,
              HasSubstr("<tr><td>Income</td><td>40 k</td><td class=\"to\">75 k</td><td>by about "
                        "10 k</td><td class=\"price\">0.35</td></tr>"));
  EXPECT_THAT(
      html, HasSubstr("<p class=\"plan\">Raise the Income from 40 k to 75 k and lower debt from 10 "
                      "to 2.5.</p>\n<p>With this the answer is 'yes' (score 0.875). Even if "
                      "you miss the Income by about 10 k"));
  EXPECT_THAT(html, HasSubstr("<p class=\"certificate\">Certificate: under"));
  EXPECT_THAT(html, HasSubstr("<p>people.csv, line 8: has 3 fields, but the header has 4.</p>"));
}

TEST_F(HtmlReport, NothingFromOutsideBecomesMarkup) {
  const std::string hostile = "<script>alert(\"x\")</script>&'";
  Schema schema = people::schema();
  schema.label = {"accepted", hostile, "<b>no</b>"};
  schema.features[0].name = hostile;
  schema.features[0].label = hostile + " label";
  schema.features[0].unit = "</td><img src=x>";
  schema.features[3].levels = {hostile + " level", "own"};
  schema.features[0].advice.any = "<b>earn</b> {to}";
  const Codec codec(schema, {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "own"}});
  ReportContext context = answers::context(codec);
  context.model_name = "</title><script>";
  context.method = "<i>method</i>";
  context.model_fingerprint = "<u>";
  Explanation found = answers::found();
  found.before = {"<40>", "10", "30", hostile + " level"};
  found.after = {"<75>", "2.5", "30", "own"};
  found.point = {0.75, 0.05, 0.125, 0, 1};
  Explanation error = answers::error();
  error.reason = "people.csv: '" + hostile + "' is no level";
  std::string html = page(context, {found, answers::already(), error});
  // The page's own script stands at its end, and no other may run.
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  const std::size_t script = html.rfind("<script>");
  ASSERT_NE(script, std::string::npos);
  EXPECT_THAT(html.substr(script), EndsWith("})();\n</script>\n</body>\n</html>\n"));
  html.resize(script);
  for (const char* markup :
       {"<script", "</script", "<img", "<b>earn", "<b>no", "<i>", "<u>", "<40>", "<75>"}) {
    EXPECT_THAT(html, Not(HasSubstr(markup)));
  }
  EXPECT_THAT(html, HasSubstr("<title>What to change: &lt;/title&gt;&lt;script&gt;</title>"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;' label"));
  EXPECT_THAT(html, HasSubstr("&lt;40&gt; &lt;/td&gt;&lt;img src=x&gt;"));
}

TEST_F(HtmlReport, PeopleWhoNeedNoAdviceStandInOneList) {
  const std::string html = page(context_, {answers::already(), answers::found()});
  EXPECT_THAT(html, HasSubstr("<summary>People who need no advice</summary>\n<ul>\n"
                              "<li id=\"row-5\">Row 5: the answer is already 'yes'"));
  EXPECT_THAT(html, Not(HasSubstr("<article class=\"already\"")));
  EXPECT_THAT(page(context_, {answers::found()}), Not(HasSubstr("<details")));
}

TEST_F(HtmlReport, AlternativesStandUnderTheirPerson) {
  Explanation person = answers::found();
  person.alternative = 1;
  Explanation other = answers::found();
  other.alternative = 2;
  person.alternatives = {other};
  const std::string html = page(context_, {person, answers::unmet()});
  const std::string row = std::to_string(person.row);
  const std::size_t begin = html.find("<article class=\"found\" id=\"row-" + row + "\">");
  ASSERT_NE(begin, std::string::npos);
  const std::string own = html.substr(begin, html.find("</article>", begin) - begin);
  EXPECT_THAT(own, HasSubstr("<section>\n<h3><span>Alternative 1 of 2</span><span class=\"badge "
                             "found\">found</span></h3>\n<p class=\"plan\">"));
  EXPECT_THAT(own, HasSubstr("<section id=\"row-" + row +
                             "-alternative-2\">\n<h3><span>Alternative 2 of 2</span>"));
  EXPECT_THAT(html,
              Not(HasSubstr("<article class=\"found\" id=\"row-" + row + "-alternative-2\"")));
  // Who has one answer needs no heading above it.
  EXPECT_THAT(page(context_, {answers::found()}), Not(HasSubstr("<section")));
}

TEST_F(HtmlReport, PeopleCanBeSearchedAndFilteredByStatus) {
  const std::string html = page(context_, {answers::found(), answers::unmet()});
  EXPECT_THAT(html,
              HasSubstr("<div class=\"find\" role=\"search\" hidden>\n<input type=\"search\""));
  EXPECT_THAT(html, HasSubstr("value=\"found\" checked>found</label>\n<label><input "
                              "type=\"checkbox\" value=\"unmet\" checked>unmet</label>\n<output"));
}

TEST_F(HtmlReport, AnEmptyRunIsStillAPage) {
  const std::string html = page(context_, {});
  EXPECT_THAT(html, EndsWith("</html>\n"));
  EXPECT_THAT(html, Not(HasSubstr("<article")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace croco
