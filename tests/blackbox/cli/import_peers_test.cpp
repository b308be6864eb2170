// headgate import against the products themselves: the original and its translation get the same requests, and refuse
// as many of them.

#include "blackbox/harness/imported.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

/// How many of `count` requests that come at once are refused.
int refused_at_once(std::uint16_t port, const std::string& target, int count, const std::string& fields) {
  std::vector<RawClient> clients;
  for (int i = 0; i < count; ++i) clients.emplace_back(port);
  for (auto& client : clients) EXPECT_TRUE(client.send(request("GET", target, fields)));
  int out = 0;
  for (auto& client : clients) {
    const auto status = client.read().status();
    EXPECT_TRUE(status == 200 || status == 429) << target << ": " << status;
    if (status == 429) ++out;
  }
  return out;
}

struct PeerCase {
  const char* what;
  const char* target;
  int requests;
  int refused;
  const char* fields = "";
};

void compare_peers(const std::vector<PeerCase>& cases, std::uint16_t original, std::uint16_t translation) {
  for (const auto& each : cases) {
    EXPECT_EQ(refused_at_once(original, each.target, each.requests, each.fields), each.refused)
        << each.what << ", the original";
    EXPECT_EQ(refused_at_once(translation, each.target, each.requests, each.fields), each.refused) << each.what;
  }
}

/// From which addresses both let requests for these paths in.
void compare_sources(std::initializer_list<const char*> paths, std::uint16_t original, std::uint16_t translation) {
  int let_in = 0;
  int refused = 0;
  for (const char* path : paths)
    for (const char* source : {"127.0.0.1", "127.0.0.5", "127.0.0.9", "127.0.0.16", "127.0.0.66", "127.1.7.7"}) {
      const auto wanted = RawClient(original, source).get(path).status();
      EXPECT_TRUE(wanted == 200 || wanted == 403) << path << " from " << source << ": " << wanted;
      EXPECT_EQ(RawClient(translation, source).get(path).status(), wanted) << path << " from " << source;
      ++(wanted == 200 ? let_in : refused);
    }
  EXPECT_GE(let_in, 3);
  EXPECT_GE(refused, 3);
}

constexpr const char* kImportedNginx = R"(
  limit_req_status 429;
  limit_conn_status 429;
  limit_req_zone  $binary_remote_addr zone=strict:1m  rate=30r/m;
  limit_req_zone  $binary_remote_addr zone=burst:1m   rate=30r/m;
  limit_req_zone  $binary_remote_addr zone=wait:1m    rate=2r/s;
  limit_req_zone  $binary_remote_addr zone=delay:1m   rate=2r/s;
  limit_req_zone  $http_x_key         zone=keyed:1m   rate=30r/m;
  limit_req_zone  $binary_remote_addr zone=dry:1m     rate=30r/m;
  limit_conn_zone $binary_remote_addr zone=open:1m;
  upstream app { server 127.0.0.1:APP; }
  server {
    listen 127.0.0.1:PORT;
    location / { proxy_pass http://app; }
    location /strict/ { limit_req zone=strict; proxy_pass http://app; }
    location /burst/ { limit_req zone=burst burst=3 nodelay; proxy_pass http://app; }
    location /wait/ { limit_req zone=wait burst=2; proxy_pass http://app; }
    location /delay/ { limit_req zone=delay burst=2 delay=1; proxy_pass http://app; }
    location /keyed/ { limit_req zone=keyed burst=1 nodelay; proxy_pass http://app; }
    location /open/ { limit_conn open 2; proxy_pass http://app; }
    location /dry/ { limit_req_dry_run on; limit_req zone=dry; proxy_pass http://app; }
    location = /dry { limit_req zone=strict; return 200; }
  }
)";

TEST(ImportedNginx, RefusesWhatNginxRefuses) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  const FakeUpstream app;
  NginxOriginal nginx(put_in_place(kImportedNginx, "APP", std::to_string(app.port())));
  auto& original = nginx.server();
  ASSERT_TRUE(original.listens()) << original.said();
  const Gateway translation(nginx.translation());
  compare_peers({{"without burst", "/strict/", 3, 2},
                 {"burst with nodelay", "/burst/", 6, 2},
                 {"burst that waits", "/wait/", 6, 3},
                 {"burst of which a part waits", "/delay/", 6, 3},
                 {"a field, which is there", "/keyed/", 4, 2, "X-Key: a\r\n"},
                 {"another value of the field", "/keyed/", 4, 2, "X-Key: b\r\n"},
                 {"a field, which is not there", "/keyed/", 4, 0},
                 {"connections", "/open/", 4, 2, "X-Test-Delay-Ms: 700\r\n"},
                 {"a dry run", "/dry/", 4, 0},
                 {"return, before which nginx looks at no limit", "/dry", 3, 0},
                 {"no limit", "/", 4, 0}},
                original.port(), translation.port());
}

constexpr const char* kNginxAddresses = R"(
  deny 127.0.0.66;
  server {
    listen 127.0.0.1:PORT;
    location /inherited/ { proxy_pass http://127.0.0.1:APP; }
    location /all/ { allow all; proxy_pass http://127.0.0.1:APP; }
    location /office/ { deny 127.0.0.9; allow 127.0.0.0/28; allow 127.1.2.3/16; deny all; proxy_pass http://127.0.0.1:APP; }
    location /shadowed/ { deny 127.0.0.0/28; allow 127.0.0.5; deny 127.0.0.66; proxy_pass http://127.0.0.1:APP; }
    location /open/ { allow 127.0.0.5; deny 127.0.0.0/28; proxy_pass http://127.0.0.1:APP; }
    location /nobody/ { deny all; proxy_pass http://127.0.0.1:APP; }
    location /six/ { allow 2001:db8::/32; deny all; proxy_pass http://127.0.0.1:APP; }
  }
)";

TEST(ImportedNginx, LetsInTheAddressesThatNginxLetsIn) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  const FakeUpstream app;
  NginxOriginal nginx(put_in_place(kNginxAddresses, "APP", std::to_string(app.port())));
  auto& original = nginx.server();
  ASSERT_TRUE(original.listens()) << original.said();
  const Gateway translation(nginx.translation());
  compare_sources({"/inherited/", "/all/", "/office/", "/shadowed/", "/open/", "/nobody/", "/six/"}, original.port(),
                  translation.port());
}

constexpr const char* kImportedHaproxy = R"(
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend web
  bind 127.0.0.1:PORT
  stick-table type ip size 1k expire 2m store http_req_rate(1m)
  acl login path /login
  http-request track-sc0 src if { path_beg /other/ }
  http-request track-sc1 req.hdr(X-Key) table keys if login
  http-request track-sc2 req.hdr(X-Who) table who
  http-request deny deny_status 429 if { path_beg /other/ } { sc_http_req_rate(0) gt 4 }
  http-request deny deny_status 429 if login { sc_http_req_rate(1) ge 3 }
  http-request deny deny_status 429 if { sc_http_req_rate(2) gt 5 }
  use_backend other if { path_beg /other/ }
  default_backend app
backend keys
  stick-table type string len 32 size 1k expire 2m store http_req_rate(1m)
backend who
  stick-table type string len 32 size 1k expire 2m store http_req_rate(1m)
backend app
  server one 127.0.0.1:APP
backend other
  server one 127.0.0.1:APP
)";

TEST(ImportedHaproxy, RefusesWhatHaproxyRefuses) {
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  const FakeUpstream app;
  const auto text = put_in_place(kImportedHaproxy, "APP", std::to_string(app.port()));
  RealServer original(kHaproxy, {"-db", "-f"},
                      [&](std::uint16_t port) { return put_in_place(text, "PORT", std::to_string(port)); });
  ASSERT_TRUE(original.listens()) << original.said();
  const Gateway translation(imported_config(put_in_place(text, "PORT", "8080"), "haproxy.cfg"));
  compare_peers({{"a field counted on one path", "/login", 3, 1, "X-Key: a\r\n"},
                 {"another value of the field", "/login", 3, 1, "X-Key: b\r\n"},
                 {"the address on some paths", "/other/", 7, 3},
                 {"a field counted on all paths", "/", 8, 3, "X-Who: w\r\n"},
                 {"no limit", "/", 8, 0}},
                original.port(), translation.port());
}

constexpr const char* kHaproxyAddresses = R"(
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend web
  bind 127.0.0.1:PORT
  acl bad src 127.0.0.9
  acl bad src 127.1.0.0/16
  http-request deny if bad
  http-request deny unless { src 127.0.0.0/28 127.1.7.7 }
  use_backend app if { path_beg /other/ }
  default_backend app
backend app
  server one 127.0.0.1:APP
)";

TEST(ImportedHaproxy, LetsInTheAddressesThatHaproxyLetsIn) {
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  const FakeUpstream app;
  const auto text = put_in_place(kHaproxyAddresses, "APP", std::to_string(app.port()));
  RealServer original(kHaproxy, {"-db", "-f"},
                      [&](std::uint16_t port) { return put_in_place(text, "PORT", std::to_string(port)); });
  ASSERT_TRUE(original.listens()) << original.said();
  const Gateway translation(imported_config(put_in_place(text, "PORT", "8080"), "haproxy.cfg"));
  compare_sources({"/", "/other/"}, original.port(), translation.port());
}

}  // namespace
}  // namespace headgate::test
