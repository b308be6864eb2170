// Problems in the form that a client takes: JSON, HTML or plain text.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kJson = "application/problem+json";
const std::string kHtml = "text/html; charset=utf-8";
const std::string kText = "text/plain; charset=utf-8";
const std::string kBrowser =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n";

class PathErrorPage : public Path {
 protected:
  PathErrorPage() { server.unreachable = Failure{.what = Failed::no_connection}; }
  /// The type of the problem that such a client gets.
  std::string type(const std::string& fields) {
    if (gateway)
      ask_again("GET /a", fields);
    else
      check("GET /a", fields);
    EXPECT_TRUE(done);
    return client.fields["Content-Type"];
  }
};

TEST_F(PathErrorPage, ABrowserThatOpensAPageGetsAPage) {
  EXPECT_EQ(type(kBrowser), kHtml);
  EXPECT_EQ(client.status, 502U);
  EXPECT_THAT(client.body,
              HasSubstr("<h1>502 Bad Gateway</h1>\n<p>This site cannot answer at the moment.</p>\n"
                        "<p>Please try again in a moment.</p>\n<p><a href=\"/\">To the home page</a></p>"));
  EXPECT_THAT(client.body, HasSubstr("<p class=\"keep\">Request " + std::string(x.request_id) + "</p>"));
  EXPECT_THAT(client.body, Not(HasSubstr("<script")));
  EXPECT_THAT(client.fields["Content-Security-Policy"], HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_EQ(client.fields["Vary"], "Accept");
  EXPECT_EQ(client.fields["Cache-Control"], "no-store");
}

TEST_F(PathErrorPage, AProgramGetsJsonUnlessItAsksForAnythingElse) {
  for (const char* accept :
       {"", "Accept: */*\r\n", "Accept: application/json\r\n", "Accept: application/*\r\n",
        "Accept: application/json, text/plain, */*\r\n", "Accept: image/avif,image/webp,*/*;q=0.8\r\n",
        "Accept: text/html;q=0.5, application/json;q=0.5\r\n", "Accept: image/png\r\n",
        "Accept: application/problem+json, text/html;q=0.9\r\n", "Accept: text/html;q=0\r\n"})
    EXPECT_EQ(type(accept), kJson) << accept;
  EXPECT_EQ(client.fields.count("Vary"), 0U);
}

TEST_F(PathErrorPage, WeightsDecide) {
  EXPECT_EQ(type("Accept: text/html\r\n"), kHtml);
  EXPECT_EQ(type("Accept: text/html;q=0.4, application/json;q=0.3\r\n"), kHtml);
  EXPECT_EQ(type("Accept: text/html;q=0.3, text/plain;q=0.4\r\n"), kText);
  EXPECT_EQ(type("Accept: text/*\r\n"), kHtml);
  EXPECT_EQ(type("Accept: TEXT/PLAIN\r\n"), kText);
}

TEST_F(PathErrorPage, IsChosenFromSeveralAcceptFields) {
  EXPECT_EQ(type("Accept: application/json;q=0.3\r\nAccept: image/png, text/html\r\n"), kHtml);
  EXPECT_EQ(type("Accept: text/html;q=0.3\r\nAccept: application/json\r\n"), kJson);
}

TEST_F(PathErrorPage, PlainTextIsAFewLines) {
  EXPECT_EQ(type("Accept: text/plain\r\n"), kText);
  EXPECT_EQ(client.body, "502 Bad Gateway\nNo server behind this gateway could be reached.\nRequest " +
                             std::string(x.request_id) + "\n");
}

TEST_F(PathErrorPage, ARejectionSaysWhenToComeBack) {
  in_memory("plan", "1/hour");
  type(kBrowser);
  EXPECT_EQ(type(kBrowser), kHtml);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("<h1>429 Too Many Requests</h1>"));
  EXPECT_THAT(client.body, HasSubstr("Please try again in 60 minutes.</p>"));
  EXPECT_THAT(client.body, Not(HasSubstr("\\")));
  EXPECT_EQ(type("Accept: text/plain\r\n"), kText);
  EXPECT_THAT(client.body,
              HasSubstr("429 Too Many Requests\nThe limit of 1/hour is used up.\nTry again in 60 minutes.\n"));
  EXPECT_EQ(type(""), kJson);
}

TEST_F(PathErrorPage, EscapesTextOfTheRequest) {
  type(kBrowser + "X-Request-Id: <script>alert(1)</script>\r\n");
  EXPECT_THAT(client.body, Not(HasSubstr("<script")));
}

TEST_F(PathErrorPage, JsonForEverybodyIfTheFileSaysSo) {
  options.error_pages = ErrorPages::json;
  EXPECT_EQ(type(kBrowser), kJson);
}

TEST_F(PathErrorPage, AHeadRequestGetsTheSameHead) {
  check("HEAD /a", kBrowser);
  EXPECT_EQ(client.fields["Content-Type"], kHtml);
  EXPECT_EQ(client.body, "");
}

}  // namespace
}  // namespace headgate::gateway::test
