// What headgate answers by itself, as users have written it: pages, fixed files, servers below a path, and what the log
// has of it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/imported.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headgate::test {
namespace {

const std::string kBrowser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";

class OwnAnswers : public testing::Test {
 protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() / ("headgate-pages-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(directory / name) << text;
    return (directory / name).string();
  }
  std::filesystem::path directory;
};

TEST_F(OwnAnswers, ArePagesOfTheUserAndAreReadAgainAtAReload) {
  const auto page = file("404.html", "<h1>{status} nothing here</h1><a href=\"{home}\">home</a>");
  const Json config = {{"error_pages", {{"home", "https://www.example.com/"}, {"files", {{"404", page}}}}},
                       {"routes", {{{"path", "/a"}, {"to", "app"}}}}};
  Proxy proxy(config);
  const auto first = proxy.client().get("/b", kBrowser);
  EXPECT_EQ(first.status(), 404);
  EXPECT_EQ(first.body, "<h1>404 nothing here</h1><a href=\"https://www.example.com/\">home</a>");
  EXPECT_EQ(first.value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(proxy.client().get("/b").value("Content-Type"), "application/problem+json");
  file("404.html", "<h1>moved</h1>");
  proxy.gateway.process().signal(SIGHUP);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (proxy.client().get("/b", kBrowser).body != "<h1>moved</h1>")
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "the reload took no new page";
}

TEST_F(OwnAnswers, OfAFileAreSentInPartsAndNotAgain) {
  const auto text = file("robots.txt", "User-agent: *\nDisallow: /private\n");
  const Json config = {{"routes", {{{"path", "/robots.txt"}, {"respond", {{"body_file", text}}}}}}};
  Proxy proxy(config);
  const auto whole = proxy.client().get("/robots.txt");
  EXPECT_EQ(whole.body, "User-agent: *\nDisallow: /private\n");
  const auto tag = whole.value("ETag");
  EXPECT_EQ(tag.size(), 34U);
  const auto again = proxy.client().get("/robots.txt", "If-None-Match: " + tag + "\r\n");
  EXPECT_EQ(again.status(), 304);
  EXPECT_EQ(again.body, "");
  const auto since = proxy.client().get("/robots.txt", "If-Modified-Since: " + whole.value("Last-Modified") + "\r\n");
  EXPECT_EQ(since.status(), 304);
  const auto part = proxy.client().get("/robots.txt", "Range: bytes=0-9\r\n");
  EXPECT_EQ(part.status(), 206);
  EXPECT_EQ(part.body, "User-agent");
  EXPECT_EQ(part.value("Content-Range"), "bytes 0-9/33");
}

TEST_F(OwnAnswers, ComeFromServersBelowTheirPath) {
  FakeUpstream app;
  Proxy proxy({{"upstreams", {{"app", app.url() + "/base/"}}}, {"routes", {{{"path", "/*"}, {"to", "app"}}}}});
  EXPECT_EQ(proxy.client().get("/a/../b%20c?q=1").status(), 200);
  EXPECT_EQ(app.last().message.start_line, "GET /base/b%20c?q=1 HTTP/1.1");
}

TEST_F(OwnAnswers, AndWhatTheLogHasOfThem) {
  const auto log = (directory / "access.log").string();
  Proxy proxy({{"log",
                {{"format", "json"},
                 {"access", log},
                 {"request_headers", {"Referer", "X-Tenant"}},
                 {"response_headers", {"Content-Type", "X-Request-Id"}},
                 {"query", {{"mask", {"email"}}}}}},
               {"routes", {{{"path", "/a"}, {"to", "app"}}, {{"path", "/fixed"}, {"respond", Json::object()}}}}});
  proxy.client().get("/a?page=2&EMAIL=x@y.example&t%6fken=s3cr3t",
                     "Referer: https://b.example/p?code=s3cr3t\r\nX-Tenant: one\r\nCookie: sid=s3cr3t\r\n");
  proxy.client().get("/fixed");
  std::vector<Json> lines;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (lines.size() < 2 && std::chrono::steady_clock::now() < until) {
    lines.clear();
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);) {
      EXPECT_FALSE(has(line, "s3cr3t")) << line;
      lines.push_back(Json::parse(line));
    }
  }
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["query"], "page=2&EMAIL=***&t%6fken=***");
  EXPECT_EQ(lines[0]["header.referer"], "https://b.example/p");
  EXPECT_EQ(lines[0]["header.x-tenant"], "one");
  EXPECT_EQ(lines[0]["response_header.x-request-id"], lines[0]["request_id"]);
  EXPECT_EQ(lines[1]["response_header.content-type"], "text/plain; charset=utf-8");
  EXPECT_FALSE(lines[1].contains("header.x-tenant"));
  EXPECT_FALSE(lines[1].contains("query"));
}

constexpr const char* kNginxWithPages = R"(
  upstream app { server 127.0.0.1:APP; }
  limit_req_zone $binary_remote_addr zone=few:1m rate=1r/m;
  server {
    listen 127.0.0.1:PORT;
    root FOLDER;
    error_page 404 /404.html;
    error_page 500 502 503 504 /50x.html;
    error_page 429 /slow.html;
    location = /50x.html { root FOLDER/shared; internal; }
    location = /slow.html { alias FOLDER/shared/429.html; internal; }
    location /api/ { proxy_pass http://app; }
    location /down/ { proxy_pass http://127.0.0.1:1; }
    location /few/ { limit_req zone=few; limit_req_status 429; proxy_pass http://app; }
  }
)";

TEST_F(OwnAnswers, OfNginxAreTheSameInItsTranslation) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  std::filesystem::permissions(directory, std::filesystem::perms(0755));
  std::filesystem::create_directories(directory / "shared");
  file("404.html", "<h1>nothing is here</h1>");
  file("shared/50x.html", "<h1>come back later</h1>");
  file("shared/429.html", "<h1>not so fast</h1>");
  FakeUpstream app;
  NginxOriginal nginx(
      put_in_place(put_in_place(kNginxWithPages, "APP", std::to_string(app.port())), "FOLDER", directory.string()));
  ASSERT_TRUE(nginx.server().listens()) << nginx.server().said();
  const Gateway translation(nginx.translation());
  const auto told = [](std::uint16_t port, const std::string& target) {
    const auto answer = RawClient(port).get(target, kBrowser);
    return std::to_string(answer.status()) + ' ' + answer.body;
  };
  const std::pair<std::string, std::string> cases[] = {{"/nothing", "404 <h1>nothing is here</h1>"},
                                                       {"/down/a", "502 <h1>come back later</h1>"},
                                                       {"/few/a", "200 "},
                                                       {"/few/a", "429 <h1>not so fast</h1>"}};
  for (const auto& [target, expected] : cases) {
    const auto original = told(nginx.server().port(), target);
    EXPECT_TRUE(original.starts_with(expected)) << target << ": " << original;
    EXPECT_EQ(told(translation.port(), target), original) << target;
  }
  for (const auto port : {nginx.server().port(), translation.port()}) {
    app.answer_next(1, {{"X-Test-Status", "404"}, {"X-Test-Bytes", "5"}});
    const auto of_server = told(port, "/api/a");
    EXPECT_TRUE(of_server.starts_with("404 ")) << of_server;
    EXPECT_EQ(of_server.find("nothing is here"), std::string::npos) << "that of a server passes";
  }
}

}  // namespace
}  // namespace headgate::test
