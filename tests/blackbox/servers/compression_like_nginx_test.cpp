// Answers compressed by what nginx's configuration became, beside nginx itself.

#include "blackbox/harness/imported.hpp"
#include "blackbox/servers/compressing.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

constexpr const char* kNginxThatCompresses = R"(
  gzip on;
  gzip_vary on;
  gzip_types text/plain application/json text/css;
  gzip_min_length 100;
  gzip_comp_level 4;
  gzip_proxied any;
  server {
    listen 127.0.0.1:PORT;
    location / { proxy_pass http://127.0.0.1:APP; proxy_http_version 1.1; }
    location /plain/ { gzip off; proxy_pass http://127.0.0.1:APP; }
  }
)";

/// What a client gets, whoever compressed it.
struct CodedAnswer {
  int status = 0;
  std::string coding;
  std::string tag;
  std::string ranges;
  bool varies = false;
  std::string body;
  bool operator==(const CodedAnswer&) const = default;
};

std::ostream& operator<<(std::ostream& out, const CodedAnswer& it) {
  return out << it.status << " coding " << it.coding << " tag " << it.tag << " ranges " << it.ranges << " varies "
             << it.varies << " of " << it.body.size() << " bytes";
}

CodedAnswer got(std::uint16_t port, const std::string& text) {
  RawClient client(port);
  const auto answer = client.ask(text);
  EXPECT_TRUE(answer.ok()) << answer.error;
  return {.status = answer.status(),
          .coding = answer.value("Content-Encoding"),
          .tag = answer.value("ETag"),
          .ranges = answer.value("Accept-Ranges"),
          .varies = same_name(answer.all("Vary"), "Accept-Encoding"),
          .body = read(answer)};
}

TEST(ImportedNginx, CompressesWhatNginxCompresses) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  FakeUpstream app;
  NginxOriginal nginx(put_in_place(kNginxThatCompresses, "APP", std::to_string(app.port())));
  auto& original = nginx.server();
  ASSERT_TRUE(original.listens()) << original.said();
  const auto config = nginx.translation();
  const Gateway translation(config);
  EXPECT_EQ(
      config.at("routes").at(0).at("compress").dump(),
      R"({"encodings":["gzip"],"level":4,"min_size":"100","types":["text/html","text/plain","application/json","text/css"]})");
  const auto typed = [](const std::string& type, const std::string& more = "") {
    return "X-Test-Raw: " +
           to_hex("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n" + more + "Content-Length: 3000\r\n\r\n" +
                  page(3000)) +
           "\r\n";
  };
  struct Case {
    std::string what;
    std::string text;
  };
  const std::string gzip = "Accept-Encoding: gzip\r\n";
  const auto get = [](const std::string& fields) { return request("GET", "/", fields); };
  const std::vector<Case> cases = {
      {"a page", ask_for(page(3000), gzip)},
      {"a large one", ask_for(page(300'000), gzip)},
      {"in chunks", ask_for(page(30'000), gzip + "X-Test-Chunked: 500\r\n")},
      {"for who takes nothing", ask_for(page(3000), "")},
      {"for who takes it not", ask_for(page(3000), "Accept-Encoding: gzip;q=0\r\n")},
      {"for who takes it with a weight", ask_for(page(3000), "Accept-Encoding: br, gzip;q=0.3\r\n")},
      {"of 99 bytes", ask_for(page(99), gzip)},
      {"of 100 bytes", ask_for(page(100), gzip)},
      {"JSON", get(typed("application/json; charset=utf-8") + gzip)},
      {"HTML", get(typed("text/html") + gzip)},
      {"in capitals", get(typed("TEXT/CSS") + gzip)},
      {"an image", get(typed("image/png") + gzip)},
      {"XML", get(typed("text/xml") + gzip)},
      {"a strong tag", get(typed("text/css", "ETag: \"v1\"\r\n") + gzip)},
      {"a weak tag", get(typed("text/css", "ETag: W/\"v1\"\r\n") + gzip)},
      {"ranges", get(typed("text/css", "Accept-Ranges: bytes\r\n") + gzip)},
      {"not found", ask_for(page(3000), gzip + "X-Test-Status: 404\r\n")},
      {"forbidden", ask_for(page(3000), gzip + "X-Test-Status: 403\r\n")},
      {"compressed already", ask_for(page(3000), gzip + "X-Test-Field: Content-Encoding: identity\r\n")},
      {"where it is off", request_with_body("POST", "/plain/", page(3000), "X-Test-Echo: 1\r\n" + gzip)},
  };
  for (const auto& each : cases) {
    auto theirs = got(original.port(), each.text);
    auto ours = got(translation.port(), each.text);
    EXPECT_EQ(theirs, ours) << each.what;
  }
  // As `import` says: other statuses.
  EXPECT_EQ(got(original.port(), ask_for(page(3000), gzip + "X-Test-Status: 500\r\n")).coding, "");
  EXPECT_EQ(got(translation.port(), ask_for(page(3000), gzip + "X-Test-Status: 500\r\n")).coding, "gzip");
}

}  // namespace
}  // namespace headgate::test
