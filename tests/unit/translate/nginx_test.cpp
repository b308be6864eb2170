// Tests of single nginx directives and their translations.

#include "unit/translate/imported_text.hpp"

#include <gtest/gtest.h>

namespace headgate::translate {
namespace {

class ImportedNginxText : public ImportedText {
 protected:
  /// Translates a server that listens at 8080.
  Translated server(const std::string& inside) { return of("nginx.conf", "server { listen 8080; " + inside + "\n}\n"); }
};

TEST_F(ImportedNginxText, OpensNoListenerWithoutItsTls) {
  for (const char* certificate : {"", "ssl_certificate /nowhere/a.pem; ssl_certificate_key /nowhere/a.key;",
                                  "ssl_certificate /etc/$host.pem; ssl_certificate_key /etc/$host.key;"}) {
    const auto got = of("nginx.conf", std::string("server { listen 443 ssl; ") + certificate +
                                          " location / { proxy_pass http://127.0.0.1:1; } }\n");
    EXPECT_EQ(listeners(got), std::vector<std::string>{"127.0.0.1:8080"}) << got.text;
    EXPECT_FALSE(got.complete());
  }
  const auto got =
      of("nginx.conf", "server { listen 80; listen 443 ssl; location / { proxy_pass http://127.0.0.1:1; } }\n");
  EXPECT_EQ(listeners(got), std::vector<std::string>{":80"}) << got.text;
}

TEST_F(ImportedNginxText, RedirectsToThePortOfHttpsThatItNames) {
  EXPECT_TRUE(has(server("return 301 https://$host:8443$request_uri;"),
                  R"({ "address": ":8080", "redirect_to_https": 8443 })"));
  EXPECT_TRUE(
      has(server("return 301 https://$host:443$request_uri;"), R"({ "address": ":8080", "redirect_to_https": true })"));
  EXPECT_TRUE(has(server("location /a/ { return 301 https://$host:8443$request_uri; } location / { return 204; }"),
                  R"("path": "/a/*", "respond": { "status": 404 }, "redirect_to_https": 8443)"));
  EXPECT_TRUE(has(server("server_name a.example; location /a/ { return 301 https://$host:8443$request_uri; }\n} server "
                         "{ listen 8080 default_server; location / { return 204; }"),
                  R"("to": "https://a.example:8443/a/*", "status": 301)"));
  EXPECT_TRUE(has(server("location / { if ($scheme = http) { return 301 https://$host:8443$request_uri; } proxy_pass "
                         "http://127.0.0.1:1; }"),
                  R"("redirect_to_https": 8443)"));
}

TEST_F(ImportedNginxText, SendsTheAddressToServersThatReadIt) {
  EXPECT_TRUE(has(server("location / { proxy_pass http://127.0.0.1:1; proxy_set_header X-Real-IP $remote_addr; }"),
                  R"("request_headers": { "set": { "X-Real-IP": "${client_ip}" } })"));
}

TEST_F(ImportedNginxText, AddsFieldsToFixedAnswers) {
  const auto got = server(
      "default_type application/json; add_header X-A a; location /x/ { return 200 '{}'; }\n"
      "location /y/ { add_header X-B b always; add_header X-C c; return 404; }");
  EXPECT_TRUE(has(got, R"("respond": { "status": 200, "body": "{}", "content_type": "application/json" })"));
  EXPECT_TRUE(has(got, R"("response_headers": { "add": { "X-A": "a" } })"));
  EXPECT_TRUE(has(got, R"("response_headers": { "add": { "X-B": "b" }, "always": true })"))
      << "nginx adds X-C to good answers alone";
}

TEST_F(ImportedNginxText, CopiesNoSecret) {
  const auto got = server(
      "location / { proxy_pass http://127.0.0.1:1; proxy_set_header Authorization 'Basic c2VjcmV0'; "
      "proxy_set_header X-Api-Key c2VjcmV0; if ($http_x_token != c2VjcmV0) { return 403; } }");
  EXPECT_EQ(got.text.find("c2VjcmV0"), std::string::npos) << got.text;
  for (const auto& remark : got.remarks) EXPECT_EQ(to_text(remark).find("c2VjcmV0"), std::string::npos);
  EXPECT_TRUE(has(got, R"("Authorization": "${AUTHORIZATION}", "X-Api-Key": "${X_API_KEY}")"));
}

TEST_F(ImportedNginxText, WritesTheNumberOfItsProcessBesideThatOfNginx) {
  EXPECT_TRUE(has(of("nginx.conf", "pid " + folder() + "/nginx.pid;\nhttp { server { listen 8080; } }\n"),
                  "\"pid_file\": \"" + folder() + "/headgate.pid\""));
}

TEST_F(ImportedNginxText, LooksAtExpressionsBeforePaths) {
  const auto got = server(
      "location / { proxy_pass http://127.0.0.1:1; } location /a/ { proxy_pass http://127.0.0.1:2; }\n"
      "location ~* \\.PHP$ { return 403; } location = /x { return 204; } location ^~ /b/ { return 204; }");
  EXPECT_TRUE(has(got, R"({ "path": "/*", "path_matches": "(?i).*\\.PHP", "respond": { "status": 403 } })"));
  EXPECT_TRUE(has(got, R"({ "path": "/a/*", "path_matches": "(?i).*\\.PHP", "respond": { "status": 403 } })"));
  EXPECT_FALSE(has(got, R"({ "path": "/b/*", "path_matches")"));
  EXPECT_TRUE(has(server("location ~ ^/login$ { return 204; }"), R"({ "path": "/login", "respond")"));
}

TEST_F(ImportedNginxText, ShowsWhatAClosedRouteWouldDo) {
  const auto got = server("location / { auth_jwt x; proxy_pass http://127.0.0.1:1; }");
  EXPECT_TRUE(has(
      got, R"(// Without its protection, this route would have: { "to": "127.0.0.1-1", "host_header": "server" })"));
  EXPECT_TRUE(has(got, R"("respond": { "status": 503, "body": "headgate import did not translate auth_jwt\n" })"));
  ASSERT_FALSE(got.remarks.empty());
  EXPECT_EQ(got.remarks.front().matter, Matter::closed);
  EXPECT_FALSE(got.complete());
}

}  // namespace
}  // namespace headgate::translate
