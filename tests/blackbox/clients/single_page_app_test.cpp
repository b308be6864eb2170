// A single-page application in a real browser, and its API behind the gateway.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/tls_client.hpp"
#include "support/free_port.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

std::string own_file(const std::string& name) {
  return std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/clients/" + name;
}

/// The hash by which the browser trusts this key without an authority: it keeps no answers of a server whose
/// certificate has errors.
std::string hash_of_the_key() {
  Process openssl({"-c", "openssl x509 -pubkey -noout -in " + tls_file("good.pem") +
                             " | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64"},
                  {}, "/bin/sh");
  EXPECT_EQ(openssl.wait(2 * kPatience), 0) << openssl.err();
  const auto said = openssl.out();
  return said.substr(0, said.find('\n'));
}

/// What the browser keeps, for as long as the test.
class Profile {
 public:
  Profile() : path_(std::string("/tmp/headgate-browser-XXXXXX")) { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~Profile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The lines of the log with this method and path.
std::vector<Json> logged(const std::string& log, const std::string& method, const std::string& path) {
  std::vector<Json> out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    auto read = Json::parse(line, nullptr, false);
    if (read.is_object() && read.value("path", "") == path && read.value("method", "") == method)
      out.push_back(std::move(read));
  }
  return out;
}

Json of_the_page(std::uint16_t port) {
  return {{"origins", {"https://localhost:" + std::to_string(port)}},
          {"credentials", true},
          {"max_age", "1h"},
          {"methods", {"GET", "POST", "PUT", "PATCH", "DELETE"}}};
}

Json changes(const RealServer& server, std::uint16_t port) {
  const auto api = [&](const char* path, Json more = Json::object()) {
    Json route = {{"path", path}, {"to", "api"}};
    route.merge_patch(more);
    return route;
  };
  const auto told = [](const char* name, const char* value) { return Json{{"set", {{name, value}}}}; };
  return {{"listen",
           {{"address", "127.0.0.1:" + std::to_string(port)},
            {"tls", {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}}}}},
          {"upstreams", {{"api", {{"servers", {server.url("http")}}}}}},
          {"identity", {{"jwt", {{"algorithms", {"HS256"}}, {"secret", "only-for-this-test-0123456789abcdef"}}}}},
          {"limits", {{"one", {{"rate", "1/2s"}, {"per", "client_ip"}}}}},
          {"log", {{"format", "json"}, {"access", "stderr"}}},
          {"all_routes", {{"cors", of_the_page(port)}}},
          {"routes", Json::array({{{"path", "/app/*"},
                                   {"respond", {{"status", 200}, {"body_file", own_file("single_page_app.html")}}},
                                   {"cors", "off"}},
                                  {{"path", "/said"}, {"to", "app"}, {"cors", "off"}},
                                  {{"path", "/end"}, {"to", "app"}, {"request_headers", told("X-Test-Hold", "1")}},
                                  api("/api/*"),
                                  api("/api/me", {{"require", "jwt"}}),
                                  api("/api/orders/*", {{"require", "jwt"}}),
                                  api("/api/limited", {{"limits", {"one"}}}),
                                  api("/api/upload", {{"max_body", "4MB"}})})}};
}

TEST(SinglePageApp, WorksInARealBrowserAgainstAnApiOfAnotherOrigin) {
  if (headless_chromium().empty()) GTEST_SKIP() << "no Chromium here; ./dev install all brings it";
  RealServer server(kPython, [](std::uint16_t port) {
    return Words{own_file("single_page_app.py"), std::to_string(port)};
  });
  ASSERT_TRUE(server.listens()) << server.said();
  const Profile profile;
  const auto port = free_port();
  Proxy proxy(changes(server, port));
  Process browser({"--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                   "--user-data-dir=" + profile.path(), "--ignore-certificate-errors-spki-list=" + hash_of_the_key(),
                   "--dump-dom", "--timeout=60000", "https://localhost:" + std::to_string(port) + "/app/orders/7"},
                  {"HOME=/tmp"}, headless_chromium());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(50);
  std::string said;
  while (said.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(Milliseconds(20));
    for (const auto& seen : proxy.upstream.requests())
      if (seen.whole && seen.message.target() == "/said") said = seen.message.body + "\n";
  }
  proxy.upstream.release();  // the page is loaded, and the browser ends
  EXPECT_EQ(browser.wait(std::chrono::seconds(20)), 0);
  ASSERT_NE(said, "") << browser.err() << proxy.gateway.process().err();

  for (const char* line : {"deep link: /app/orders/7",
                           "without a token: 401 Bearer",
                           "with one that has ended: 401 true application/problem+json",
                           "renewed: 200 /api/me true",
                           "first: 200 true",
                           "second: 429 application/problem+json 429 true true",
                           "after the wait: 200",
                           "events: 1 2 3 4 5",
                           "events come one by one: true",
                           "given up: AbortError",
                           "PUT: 200",
                           "PATCH: 200",
                           "DELETE: 200",
                           "a field that is not allowed: blocked",
                           "list, first: 200 1000",
                           "list, second: 200 1000",
                           "list, third: 200 1000",
                           "cookie: session=s1",
                           "cookie without credentials: none",
                           "upload: 200 true true",
                           "upload that is too large: 413 true 413",
                           "no such page: 404"})
    EXPECT_TRUE(has(said, std::string(line) + "\n")) << line << " is missing in:\n" << said;

  const auto log = [&] { return proxy.gateway.process().err(); };
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& text) { return !logged(text, "POST", "/said").empty(); }));
  EXPECT_EQ(logged(log(), "OPTIONS", "/api/orders/7").size(), 2U)
      << "one for all three methods, and one for the field that is not allowed\n"
      << log();
  const auto lists = logged(log(), "GET", "/api/list");
  ASSERT_EQ(lists.size(), 3U);
  EXPECT_EQ(lists[0].value("status", 0), 200);
  EXPECT_EQ(lists[2].value("status", 0), 304);
  const auto given_up = logged(log(), "GET", "/api/slow");
  ASSERT_EQ(given_up.size(), 1U);
  EXPECT_EQ(given_up[0].value("ended_by", ""), "client_closed");
}

}  // namespace
}  // namespace headgate::test
