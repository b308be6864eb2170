// Answers that a route compresses: which ones, for whom, and what their head says.

#include "unit/gateway/path/answers/compressed.hpp"

namespace headgate::gateway::test {
namespace {

using http::Framing;

TEST_F(PathCompressed, GetTheCodingThatTheClientTakesMostGladly) {
  struct Row {
    const char* accepts;
    const char* coding;
  };
  for (const auto& row : std::initializer_list<Row>{{"gzip, br", "br"},
                                                    {"gzip", "gzip"},
                                                    {"br;q=0.5, gzip", "gzip"},
                                                    {"*", "br"},
                                                    {"*, br;q=0", "gzip"},
                                                    {"x-gzip", "gzip"},
                                                    {"gzip;q=0", ""},
                                                    {"identity", ""},
                                                    {"identity;q=0", ""},
                                                    {"identity, gzip;q=0.5", ""},
                                                    {"identity;q=0.2, gzip;q=0.5", "gzip"},
                                                    {"identity;q=0.5, gzip;q=0.5", "gzip"},
                                                    {"deflate, zstd", ""},
                                                    {"", ""}}) {
    get(row.accepts);
    ASSERT_TRUE(done);
    EXPECT_EQ(told("Content-Encoding"), row.coding) << row.accepts;
    EXPECT_EQ(read(), page) << row.accepts;
    EXPECT_EQ(told("Vary"), "Accept-Encoding") << row.accepts;
    EXPECT_TRUE(client.ended);
    next();
  }
}

TEST_F(PathCompressed, TakesAllLinesOfAcceptEncoding) {
  check("GET /a", "Accept-Encoding: deflate\r\nAccept-Encoding: gzip\r\n");
  EXPECT_EQ(told("Content-Encoding"), "gzip");
}

TEST_F(PathCompressed, ReadsNoMoreOfAcceptEncodingThanItsBound) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += "Accept-Encoding: a, b, c, d, e, f, g, h\r\n";
  check("GET /a", lines + "Accept-Encoding: gzip\r\n");
  EXPECT_FALSE(compressed());
  EXPECT_EQ(client.body, page);
  next();
  check("GET /a", "Accept-Encoding: " + std::string(3000, 'a') + "\r\nAccept-Encoding: gzip\r\n");
  EXPECT_FALSE(compressed());
}

TEST_F(PathCompressed, SaysOnlyWhatIsTrueOfTheOtherBytes) {
  server.fields = {field("Content-Type", "text/html"), field("ETag", "\"v1\""), field("Accept-Ranges", "bytes"),
                   field("Vary", "Origin"), field("Last-Modified", "Thu, 26 Nov 2026 00:00:00 GMT")};
  get("gzip");
  EXPECT_TRUE(compressed());
  EXPECT_EQ(told("ETag"), "W/\"v1\"");
  EXPECT_EQ(told("Vary"), "Origin, Accept-Encoding");
  EXPECT_EQ(told("Accept-Ranges"), "");
  EXPECT_EQ(told("Last-Modified"), "Thu, 26 Nov 2026 00:00:00 GMT");
  EXPECT_EQ(client.names.count("content-encoding"), 1U);
  EXPECT_EQ(client.names.count("content-length"), 0U);
  next();
  get("");
  EXPECT_EQ(told("ETag"), "\"v1\"") << "of the bytes as they are";
  EXPECT_EQ(told("Accept-Ranges"), "bytes");
}

TEST_F(PathCompressed, LeavesWeakTagsAndAVaryThatSaysAll) {
  server.fields = {field("Content-Type", "text/html"), field("ETag", "W/\"v1\""), field("Vary", "accept-encoding")};
  get("gzip");
  EXPECT_EQ(told("ETag"), "W/\"v1\"");
  EXPECT_EQ(told("Vary"), "accept-encoding");
  next();
  server.fields = {field("Content-Type", "text/html"), field("Vary", "*")};
  get("gzip");
  EXPECT_TRUE(compressed());
  EXPECT_EQ(told("Vary"), "*");
}

TEST_F(PathCompressed, LeavesAnswersAloneThatMustArriveUnchanged) {
  const std::vector<http::Fields> kinds = {
      {field("Content-Type", "text/html"), field("Content-Encoding", "gzip")},
      {field("Content-Type", "text/html"), field("Content-Encoding", "identity")},
      {field("Content-Type", "text/html"), field("Cache-Control", "public, no-transform")},
      {field("Content-Type", "text/html"), field("Content-Digest", "sha-256=:x:")},
      {field("Content-Type", "text/html"), field("Repr-Digest", "sha-256=:x:")},
      {field("Content-Type", "text/html"), field("Digest", "sha-256=x")},
      {field("Content-Type", "text/html"), field("Content-MD5", "x")},
      {field("Content-Type", "text/html"), field("Signature-Input", "sig=()")},
      {field("Content-Type", "text/html"), field("Content-Range", "bytes 0-1/2")},
      {field("Content-Type", "image/png")},
      {field("Content-Type", "application/octet-stream")},
      {field("Content-Type", "application/grpc-web+json")},
      {field("Content-Type", "text/html"), field("Content-Type", "image/png")},
      {},
  };
  for (const auto& fields : kinds) {
    server.fields = fields;
    get("gzip, br");
    const auto what =
        fields.empty() ? "no fields" : std::string(fields.back().name) + ": " + std::string(fields.back().value);
    EXPECT_EQ(client.body, page) << what;
    EXPECT_EQ(told("Vary"), "") << what;
    next();
  }
}

TEST_F(PathCompressed, AppliesOnlyToWholeBodiesAndNotToInterimAnswers) {
  for (const unsigned status : {206U, 205U}) {
    server.status = status;
    get("gzip");
    EXPECT_EQ(client.body, page) << status;
    EXPECT_EQ(told("Vary"), status == 206 ? "Accept-Encoding" : "") << status;
    next();
  }
  server.status = 206;
  server.fields.push_back(field("Content-Range", "bytes 0-9/900"));
  get("gzip");
  EXPECT_EQ(told("Vary"), "") << "the whole is too small";
  next();
  server.fields.back().value = "bytes 0-9/9000";
  get("gzip");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
  EXPECT_EQ(told("Content-Encoding"), "");
  next();
  answers("text/html", page);
  server.status = 404;
  server.interims = {103};
  get("gzip");
  EXPECT_TRUE(compressed()) << "an error page is a page";
  EXPECT_EQ(client.interims, std::vector<unsigned>{103});
}

TEST_F(PathCompressed, TypesAreComparedWithoutCaseAndParameters) {
  options_of_route.types = {"text/*", "application/*+json"};
  use();
  for (const auto& [type, is] : std::vector<std::pair<std::string, bool>>{{"TEXT/CSS", true},
                                                                          {"text/plain;charset=x", true},
                                                                          {"text/plain ; a=b", true},
                                                                          {"text/", false},
                                                                          {"text", false},
                                                                          {"application/problem+json", true},
                                                                          {"application/+json", false},
                                                                          {"application/json", false},
                                                                          {"xtext/html", false}}) {
    server.fields = {field("Content-Type", type)};
    get("gzip");
    EXPECT_EQ(compressed(), is) << type;
    next();
  }
}

TEST_F(PathCompressed, SmallAnswersAreSentAsTheyAre) {
  answers("text/html", std::string(1023, 'a'));
  get("gzip");
  EXPECT_FALSE(compressed());
  EXPECT_EQ(told("Vary"), "") << "it depends on nothing";
  next();
  answers("text/html", std::string(1024, 'a'));
  get("gzip");
  EXPECT_TRUE(compressed());
  next();
  options_of_route.min_bytes = 0;
  answers("text/html", "");
  server.body.clear();
  get("gzip");
  EXPECT_FALSE(compressed());
}

TEST_F(PathCompressed, SendsABodyUnchangedThatWouldBecomeLarger) {
  std::string noise;
  std::uint64_t dice = 1;
  for (int i = 0; i < 2000; ++i) noise += static_cast<char>((dice = dice * 6364136223846793005ULL + 1) >> 56);
  answers("text/html", noise);
  server.fields.push_back(field("ETag", "\"v1\""));
  get("gzip");
  EXPECT_EQ(told("Content-Encoding"), "");
  EXPECT_EQ(client.body, noise);
  EXPECT_EQ(told("ETag"), "\"v1\"");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
}

TEST_F(PathCompressed, AnOldClientAndOneThatWantsNoChangeGetItAsItIs) {
  version = 10;
  get("gzip");
  EXPECT_FALSE(compressed());
  EXPECT_EQ(told("Vary"), "Accept-Encoding") << "caches between have newer clients";
  next();
  version = 11;
  get("gzip", "Cache-Control: no-transform\r\n");
  EXPECT_FALSE(compressed());
}

TEST_F(PathCompressed, AHeadSaysWhatAGetWouldSay) {
  server.fields = {field("Content-Type", "text/html"),
                   field("ETag", "\"v1\""),
                   {http::Known::content_length, "Content-Length", "5000"}};
  server.framing = {};
  server.body.clear();
  get("gzip", "", "HEAD");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(told("Content-Encoding"), "gzip");
  EXPECT_EQ(told("ETag"), "W/\"v1\"");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
  EXPECT_EQ(told("Content-Length"), "");
  EXPECT_EQ(client.body, "");
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(metric(R"(headgate_compressed_answers_total{coding="gzip"})"), "0");
  next();
  server.fields.back().value = "100";
  get("gzip", "", "HEAD");
  EXPECT_EQ(told("Content-Encoding"), "");
  EXPECT_EQ(told("Content-Length"), "100");
}

TEST_F(PathCompressed, AHeadWithoutALengthSaysOnlyThatItVaries) {
  server.fields = {field("Content-Type", "text/html"), field("ETag", "\"v1\"")};
  server.framing = {};
  server.body.clear();
  get("gzip", "", "HEAD");
  EXPECT_EQ(told("Content-Encoding"), "");
  EXPECT_EQ(told("ETag"), "\"v1\"");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
}

TEST_F(PathCompressed, ANotModifiedIsAboutWhatTheClientHas) {
  server.status = 304;
  server.fields = {field("ETag", "\"v1\"")};
  server.framing = {};
  server.body.clear();
  get("gzip", "If-None-Match: \"v0\", W/\"v1\"\r\n");
  EXPECT_EQ(client.status, 304U);
  EXPECT_EQ(told("ETag"), "W/\"v1\"");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
  EXPECT_THAT(app->report.head, testing::HasSubstr("If-None-Match: \"v0\", W/\"v1\""));
  next();
  get("gzip", "If-None-Match: \"v1\"\r\n");
  EXPECT_EQ(told("ETag"), "\"v1\"") << "what it has was not compressed";
  EXPECT_EQ(told("Vary"), "") << "and nothing says that it may be";
  next();
  server.fields = {field("ETag", "\"v1\""), field("Content-Type", "text/html")};
  get("gzip", "If-None-Match: \"v1\"\r\n");
  EXPECT_EQ(told("ETag"), "\"v1\"");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
  for (const auto& kept : {field("Content-Type", "image/png"), field("Cache-Control", "no-transform"),
                           field("Repr-Digest", "sha-256=:x:"), field("Content-Encoding", "br")}) {
    next();
    server.fields = {field("ETag", "\"v1\""), kept};
    get("gzip", "If-None-Match: W/\"v1\"\r\n");
    EXPECT_EQ(told("ETag"), "\"v1\"") << kept.name;
    EXPECT_EQ(told("Vary"), "") << kept.name;
  }
}

TEST_F(PathCompressed, ARefusalIsNot) {
  options_of_route.min_bytes = 0;
  use();
  in_memory("few", "1/hour");
  get("gzip");
  EXPECT_TRUE(compressed());
  next();
  get("gzip", "Accept: text/html\r\n");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(told("Content-Encoding"), "");
  EXPECT_EQ(told("Vary"), "Accept");
  EXPECT_THAT(client.body, testing::HasSubstr("429"));
  EXPECT_EQ(metric(R"(headgate_compressed_answers_total{coding="gzip"})"), "1");
}

TEST_F(PathCompressed, APageOfTheGatewayAfterItsServerFailedIsNot) {
  options_of_route.min_bytes = 0;
  use();
  server.breaks = upstream::Failure{.what = upstream::Failed::reply_timeout};
  get("gzip", "Accept: text/html\r\n");
  EXPECT_EQ(client.status, 504U);
  EXPECT_EQ(told("Content-Encoding"), "");
}

TEST_F(PathCompressed, AppliesToFixedAnswersAsWell) {
  route.respond.emplace();
  route.respond->body = page;
  get("gzip");
  EXPECT_TRUE(compressed());
  EXPECT_EQ(read(), page);
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
}

TEST_F(PathCompressed, AFileIsWithAWeakTagAndItsRangesAreNot) {
  route.respond.emplace();
  route.respond->body = page;
  route.respond->etag = "\"f1\"";
  route.respond->last_modified = "Thu, 26 Nov 2026 00:00:00 GMT";
  get("gzip");
  EXPECT_TRUE(compressed());
  EXPECT_EQ(told("ETag"), "W/\"f1\"");
  EXPECT_EQ(told("Accept-Ranges"), "");
  next();
  get("gzip", "If-None-Match: W/\"f1\"\r\n");
  EXPECT_EQ(client.status, 304U);
  EXPECT_EQ(told("ETag"), "W/\"f1\"");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
  next();
  get("gzip", "Range: bytes=0-9\r\n");
  EXPECT_EQ(client.status, 206U);
  EXPECT_EQ(client.body, page.substr(0, 10));
  EXPECT_EQ(told("ETag"), "\"f1\"");
  next();
  get("gzip", "Range: bytes=0-9\r\nIf-Range: W/\"f1\"\r\n");
  EXPECT_EQ(client.status, 200U) << "a weak tag names no bytes";
}

TEST_F(PathCompressed, LargeAnswersOfTheRouteItselfAreNot) {
  route.respond.emplace();
  route.respond->body = std::string(kMaxOwnCompressed + 1, 'a');
  get("gzip");
  EXPECT_FALSE(compressed());
  EXPECT_EQ(client.body.size(), kMaxOwnCompressed + 1);
  next();
  get("gzip", "", "HEAD");
  EXPECT_EQ(told("Content-Encoding"), "");
}

TEST_F(PathCompressed, TheServerIsAskedAsTheClientAsks) {
  get("gzip;q=0.5, zstd");
  EXPECT_THAT(app->report.head, testing::HasSubstr("Accept-Encoding: gzip;q=0.5, zstd\n"));
  next();
  get("");
  EXPECT_THAT(app->report.head, testing::Not(testing::HasSubstr("Accept-Encoding")));
}

TEST_F(PathCompressed, AreExplained) {
  EXPECT_EQ(besides(explain("GET /a", "Accept-Encoding: gzip\r\n"), "may_be_compressed_as"), "gzip");
  EXPECT_EQ(besides(explain("GET /a"), "may_be_compressed_as"), "");
}

// Why nothing is compressed unless its route says so (docs/compression.md).
TEST_F(PathCompressed, TheirLengthTellsOfASecretBesideWhatACallerChose) {
  const auto bytes_for = [this](const std::string& guess, const std::string& accepts) {
    answers("text/html", page + "<input value=\"token-8f3a9c1d7b\">You searched for " + guess);
    get(accepts);
    const auto bytes = client.body.size();
    next();
    return bytes;
  };
  for (const auto* const coding : {"br", "gzip"})
    EXPECT_LT(bytes_for("token-8f3a9c1d7b", coding), bytes_for("token-q0m4zz91kx", coding)) << coding;
  EXPECT_EQ(bytes_for("token-8f3a9c1d7b", ""), bytes_for("token-q0m4zz91kx", ""));
}

TEST_F(PathCompressed, ARouteThatDoesNotIsAsBefore) {
  route.compression = nullptr;
  get("gzip");
  EXPECT_EQ(client.body, page);
  EXPECT_EQ(told("Vary"), "");
  EXPECT_EQ(x.compressed, nullptr);
  EXPECT_EQ(metric("headgate_not_compressed_total"), "") << "nothing to count";
}

TEST_F(PathCompressed, TheLogHasTheFieldsThatTheClientGot) {
  auto logged = std::make_shared<LoggedFields>();
  logged->of_answer = {{"content-encoding", "response_header.content-encoding"}, {"etag", "response_header.etag"}};
  options.logged = logged;
  server.fields.push_back(field("ETag", "\"v1\""));
  get("br");
  ASSERT_EQ(x.logged_answer.size(), 2U);
  EXPECT_EQ(x.logged_answer[0].second, "br");
  EXPECT_EQ(x.logged_answer[1].second, "W/\"v1\"");
}

}  // namespace
}  // namespace headgate::gateway::test
