// Each format that is read, in lines as the programs write them.

#include "temporary_log.hpp"

#include "headgate/access_logs/line_format.hpp"
#include "headgate/access_logs/moment.hpp"

#include <fstream>
#include <iterator>
#include <set>

namespace headgate::test {
namespace {

/// What a line of a format says.
struct Expected {
  std::string_view format;
  std::string_view line;
  const char* at;
  std::string_view address, method, host, path, query;
  unsigned status;
  std::int64_t after;  ///< microseconds
  std::uint64_t request_bytes, bytes;
  bool tls;
  std::string_view user_agent;
};

const Expected
    kLines[] =
        {
            {"combined",
             R"x(127.0.0.1 - alice [24/Nov/2026:11:42:25 +0100] "GET /a%20b?x=1&y=%2F HTTP/1.1" 200 6 "https://example.com/" "curl \x22quoted\x22 \x5C \xC3\xA9")x",
             "2026-11-24T10:42:25Z", "127.0.0.1", "GET", "", "/a%20b", "?x=1&y=%2F", 200, 0, 0, 6, false,
             R"(curl "quoted" \ é)"},
            {"combined", R"x(::1 - - [24/Nov/2026:10:42:27 +0000] "GET /v6 HTTP/1.1" 404 6 "-" "a \"b\" (c\\d)")x",
             "2026-11-24T10:42:27Z", "::1", "GET", "", "/v6", "", 404, 0, 0, 6, false, R"(a "b" (c\d))"},
            {"common", R"x(10.1.2.3 - - [24/Nov/2026:10:42:25 -0330] "DELETE /v1/x HTTP/1.0" 204 -)x",
             "2026-11-24T14:12:25Z", "10.1.2.3", "DELETE", "", "/v1/x", "", 204, 0, 0, 0, false, ""},
            {"main",
             R"x(10.1.2.3 - - [24/Nov/2026:10:42:25 +0000] "GET / HTTP/1.1" 200 612 "-" "curl/7.88.1" "198.51.100.7, 10.0.0.1")x",
             "2026-11-24T10:42:25Z", "10.1.2.3", "GET", "", "/", "", 200, 0, 0, 612, false, "curl/7.88.1"},
            {"vhost_combined",
             R"x(www.example.com:443 203.0.113.9 - - [24/Nov/2026:10:42:25 +0000] "GET /index.html HTTP/1.1" 200 3041 "-" "Mozilla/5.0 (X11)")x",
             "2026-11-24T10:42:25Z", "203.0.113.9", "GET", "www.example.com:443", "/index.html", "", 200, 0, 0, 3041,
             false, "Mozilla/5.0 (X11)"},
            {"headgate",
             R"x({"ts":"2026-11-22T05:30:12.345678Z","level":"info","event":"request","request_id":"01JD5K7M2Q8X","client_ip":"203.0.113.7","method":"POST","host":"api.example.com","path":"/v1/login","proto":"HTTP/1.1","status":503,"ended_by":"upstream","route":"login","upstream":"auth","server":"10.0.0.1:80","attempts":1,"in_bytes":312,"out_bytes":241,"ms":250.412,"upstream_ms":50,"delayed_ms":200.000,"tls":"1.3","user_agent":"caf\u00e9 \"x\""})x",
             "2026-11-22T05:30:12.095266Z", "203.0.113.7", "POST", "api.example.com", "/v1/login", "", 503, 50'412, 312,
             241, true, "café \"x\""},
            {"ecs",
             R"x({"@timestamp":"2026-11-22T05:30:12.345678Z","log.level":"info","message":"POST /v1/login 200","ecs.version":"8.11.0","service.name":"headgate","event.kind":"event","event.dataset":"headgate.access","event.outcome":"success","service.node.name":"edge-1","event.action":"request","http.request.id":"01JD5K7M2Q8X","client.ip":"203.0.113.7","http.request.method":"POST","url.domain":"api.example.com","url.path":"/v1/login","http.version":"1.1","http.response.status_code":200,"headgate.ended_by":"upstream","headgate.route":"login","headgate.attempts":1,"http.request.body.bytes":312,"http.response.bytes":241,"event.duration":412000,"headgate.upstream_ms":0.300,"user_agent.original":"curl/7.88.1"})x",
             "2026-11-22T05:30:12.345266Z", "203.0.113.7", "POST", "api.example.com", "/v1/login", "", 200, 412, 312,
             241, false, "curl/7.88.1"},
            {"ecs",
             R"x({"@timestamp":"2026-11-22T05:30:12Z","source":{"ip":"203.0.113.8"},"http":{"request":{"method":"GET","body":{"bytes":5}},"response":{"status_code":200,"body":{"bytes":77}}},"url":{"domain":"example.com","path":"/a","query":"b=c","scheme":"https"},"event":{"duration":2000000000},"user_agent":{"original":"x"}})x",
             "2026-11-22T05:30:10Z", "203.0.113.8", "GET", "example.com", "/a", "?b=c", 200, 2'000'000, 5, 77, true,
             "x"},
            {"envoy",
             R"x([2026-11-22T05:30:12.345Z] "POST /api/v1/locations?q=1 HTTP/2" 204 - 154 7 226 100 "198.51.100.1, 10.0.35.28" "nsq2http" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://10.0.2.1:80")x",
             "2026-11-22T05:30:12.345Z", "10.0.35.28", "POST", "locations", "/api/v1/locations", "?q=1", 204, 226'000,
             154, 7, false, "nsq2http"},
            {"istio",
             R"x([2026-11-22T05:30:12.345Z] "GET /status/418 HTTP/1.1" 418 - via_upstream - "-" 0 135 4 4 "-" "curl/7.73.0" "84961386-6d84-929d-98bd-c5aee93b5c88" "httpbin:8000" "10.44.1.27:80" outbound|8000||httpbin.foo.svc.cluster.local 10.44.1.23:37652 10.0.45.184:8000 10.44.1.23:46520 - default)x",
             "2026-11-22T05:30:12.345Z", "10.44.1.23", "GET", "httpbin:8000", "/status/418", "", 418, 4000, 0, 135,
             false, "curl/7.73.0"},
            {"envoy_json",
             R"x({"start_time":"2026-11-22T05:30:12.345Z","method":"GET","path":"/a?b","protocol":"HTTP/1.1","response_code":200,"response_flags":"-","bytes_received":3,"bytes_sent":135,"duration":4,"upstream_service_time":"4","x_forwarded_for":null,"user_agent":"curl/7.73.0","request_id":"84961386","authority":"httpbin:8000","upstream_host":"10.44.1.27:80","downstream_remote_address":"10.44.1.23:46520","route_name":"default"})x",
             "2026-11-22T05:30:12.345Z", "10.44.1.23", "GET", "httpbin:8000", "/a", "?b", 200, 4000, 3, 135, false,
             "curl/7.73.0"},
            {"haproxy",
             R"x(127.0.0.1:42624 [24/Nov/2026:10:42:34.672] web app/s1 0/0/0/31/31 200 139 - - ---- 1/1/0/0/0 0/0 {agent/1 #22x#22 #7By#7D|127.0.0.1:18083} "GET /a?x=1 HTTP/1.1")x",
             "2026-11-24T10:42:34.672Z", "127.0.0.1", "GET", "", "/a", "?x=1", 200, 31'000, 0, 139, false, ""},
            {"haproxy",
             R"x(<134>Nov 24 10:42:39 edge-1 haproxy[19809]: 2001:db8::1:5409 [24/Nov/2026:10:42:38.846] web~ app/s1 0/0/0/0/+12 200 139 - - ---- 1/1/0/0/0 0/0 "GET /v6 HTTP/1.1")x",
             "2026-11-24T10:42:38.846Z", "2001:db8::1", "GET", "", "/v6", "", 200, 12'000, 0, 139, true, ""},
            {"caddy",
             R"x({"level":"info","ts":1795516954.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"203.0.113.7","remote_port":"41342","client_ip":"203.0.113.7","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/a?b=c","headers":{"User-Agent":["curl/7.82.0"],"Accept":["*/*"],"Authorization":["REDACTED"],"Accept-Encoding":["gzip, deflate, br"]},"tls":{"resumed":false,"version":772,"cipher_suite":4865,"proto":"h2","server_name":"example.com"}},"bytes_read":9,"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"],"Content-Encoding":["gzip"]}})x",
             "2026-11-24T10:42:34.523173Z", "203.0.113.7", "GET", "localhost", "/a", "?b=c", 200, 929, 9, 10'900, true,
             "curl/7.82.0"},
            {"traefik",
             R"x({"ClientAddr":"203.0.113.7:56812","ClientHost":"203.0.113.7","ClientPort":"56812","ClientUsername":"-","DownstreamContentSize":7,"DownstreamStatus":200,"Duration":1520000,"OriginContentSize":7,"OriginDuration":1400000,"OriginStatus":200,"Overhead":120000,"RequestAddr":"whoami.example.com:8443","RequestContentSize":11,"RequestCount":3,"RequestHost":"whoami.example.com","RequestMethod":"PUT","RequestPath":"/x?y=z","RequestPort":"8443","RequestProtocol":"HTTP/2.0","RequestScheme":"https","RetryAttempts":0,"RouterName":"web@docker","ServiceName":"whoami@docker","StartLocal":"2026-11-22T06:30:12.345678901+01:00","StartUTC":"2026-11-22T05:30:12.345678901Z","entryPointName":"websecure","level":"info","msg":"","request_User-Agent":"curl/7.88.1","time":"2026-11-22T06:30:12+01:00"})x",
             "2026-11-22T05:30:12.345678Z", "203.0.113.7", "PUT", "whoami.example.com:8443", "/x", "?y=z", 200, 1520,
             11, 7, true, "curl/7.88.1"},
            {"traefik_clf",
             R"x(203.0.113.7 - - [22/Nov/2026:05:30:12 +0000] "GET /x HTTP/1.1" 200 7 "-" "curl/7.88.1" 4 "web@docker" "http://172.18.0.3:80" 15ms)x",
             "2026-11-22T05:30:12Z", "203.0.113.7", "GET", "", "/x", "", 200, 15'000, 0, 7, false, "curl/7.88.1"},
            {"alb",
             R"x(https 2026-11-22T05:30:12.945Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a?b=c HTTP/1.1" "curl/7.46.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337281-1d84f3d73c47ec4e58577259" "www.example.com" "arn:aws:acm:us-east-2:123456789012:certificate/12345678-1234-1234-1234-123456789012" 1 2026-11-22T05:30:12.774Z "authenticate,forward" "-" "-" "10.0.0.1:80" "200" "-" "-")x",
             "2026-11-22T05:30:12.774Z", "192.168.131.39", "GET", "www.example.com:443", "/a", "?b=c", 200, 171'000, 0,
             57, true, "curl/7.46.0"},
            {"json",
             R"x({"time":"2026-11-24T10:42:25+00:00","remote_addr":"127.0.0.1","request_method":"GET","request_uri":"/a%20b?x=1","host":"127.0.0.1","status":200,"body_bytes_sent":6,"request_time":0.125,"http_user_agent":"curl \"q\" \\ é","remote_user":"alice","upstream_addr":""})x",
             "2026-11-24T10:42:24.875Z", "127.0.0.1", "GET", "127.0.0.1", "/a%20b", "?x=1", 200, 125'000, 0, 6, false,
             "curl \"q\" \\ é"},
            {"csv",
             "time,client_ip,method,path,query,status,duration_ms,user_agent\n"
             R"x(2026-11-24T10:42:25.5Z,203.0.113.7,GET,/a,b=c,200,500,"a ""b"", c")x",
             "2026-11-24T10:42:25Z", "203.0.113.7", "GET", "", "/a", "?b=c", 200, 500'000, 0, 0, false, "a \"b\", c"},
};

TEST(LogFormats, AreFoundAndReadWhatTheirProgramsWrite) {
  std::set<std::string_view> read;
  for (const auto& expected : kLines) {
    SCOPED_TRACE(expected.line);
    const auto log = read_text(std::string(expected.line) + "\n");
    ASSERT_EQ(log.error, "");
    ASSERT_EQ(log.arrivals.size(), 1U) << (log.counts.first_unread.empty() ? "" : log.counts.first_unread[0].why);
    const auto& one = log.arrivals[0];
    EXPECT_EQ(log.logs[0].format, expected.format);
    EXPECT_EQ(one.at, access_logs::parse_moment(expected.at)) << one.at.time_since_epoch().count();
    EXPECT_EQ(one.address, expected.address);
    EXPECT_EQ(one.method, expected.method);
    EXPECT_EQ(one.host, expected.host);
    EXPECT_EQ(one.path, expected.path);
    EXPECT_EQ(one.query, expected.query);
    EXPECT_EQ(one.status, expected.status);
    EXPECT_EQ(one.after, Duration(expected.after));
    EXPECT_EQ(one.request_bytes, expected.request_bytes);
    EXPECT_EQ(one.bytes, expected.bytes);
    EXPECT_EQ(one.tls, expected.tls);
    EXPECT_EQ(one.field("User-Agent"), expected.user_agent);
    EXPECT_EQ(log.counts.unread, 0U);
    read.insert(expected.format);
  }
  for (const auto* const format : access_logs::formats())
    EXPECT_TRUE(read.contains(format->name)) << format->name << " has no line here";
}

TEST(LogFormats, OfHeadgateHaveItsQueriesAndNamedFieldsToo) {
  const auto log = read_text(
      R"x({"ts":"2026-11-22T05:30:12.345678Z","level":"info","event":"request","client_ip":"203.0.113.7","method":"GET","path":"/a","query":"?format=csv&k=1","status":200,"ended_by":"upstream","ms":1.5,"header.x-tenant":"acme"})x"
      "\n");
  ASSERT_EQ(log.arrivals.size(), 1U) << log.error;
  EXPECT_EQ(log.arrivals[0].query, "?format=csv&k=1");
  EXPECT_EQ(log.arrivals[0].field("x-tenant"), "acme");
}

TEST(LogFormats, StandInTheDocumentation) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/docs/access_logs.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto* const format : access_logs::formats())
    EXPECT_THAT(page, testing::HasSubstr("\n| `" + std::string(format->name) + "` |"));
}

TEST(LogFormats, GiveFieldsOfRequests) {
  auto log = read_text(kLines[3].line);
  EXPECT_EQ(log.arrivals.at(0).field("X-Forwarded-For"), "198.51.100.7, 10.0.0.1");
  log = read_text(kLines[0].line);
  EXPECT_EQ(log.arrivals.at(0).field("Referer"), "https://example.com/");
  // The last hop of Envoy's is who connected.
  log = read_text(kLines[8].line);
  EXPECT_EQ(log.arrivals.at(0).field("X-Forwarded-For"), "198.51.100.1");
  // Caddy writes each field, and hides some.
  log = read_text(kLines[13].line);
  EXPECT_EQ(log.arrivals.at(0).field("Accept-Encoding"), "gzip, deflate, br");
  EXPECT_EQ(log.arrivals.at(0).fields.size(), 3U);
}

TEST(LogFormats, TellWhatAnOldGatewayHadRefused) {
  const auto one = [](std::string_view format, std::string_view line) {
    const auto log = read_text(line, {.format = std::string(format)});
    EXPECT_EQ(log.error, "");
    return log.arrivals.empty() ? 0U : log.arrivals[0].status + (log.arrivals[0].assumed_ok ? 1000U : 0U);
  };
  EXPECT_EQ(one("common", R"x(10.1.2.3 - - [24/Nov/2026:10:42:25 +0000] "GET / HTTP/1.1" 429 1)x"), 1200U);
  EXPECT_EQ(one("common", R"x(10.1.2.3 - - [24/Nov/2026:10:42:25 +0000] "GET / HTTP/1.1" 503 1)x"), 1200U);
  EXPECT_EQ(one("common", R"x(10.1.2.3 - - [24/Nov/2026:10:42:25 +0000] "GET / HTTP/1.1" 502 1)x"), 502U);
  // Where the log tells that a server was asked, it was the server's answer.
  const std::string_view format = "$remote_addr [$time_local] \"$request\" $status $upstream_status";
  EXPECT_EQ(one(format, R"x(10.1.2.3 [24/Nov/2026:10:42:25 +0000] "GET / HTTP/1.1" 429 -)x"), 1200U);
  EXPECT_EQ(one(format, R"x(10.1.2.3 [24/Nov/2026:10:42:25 +0000] "GET / HTTP/1.1" 429 429)x"), 429U);
  EXPECT_EQ(
      one("haproxy",
          R"x(127.0.0.1:4 [24/Nov/2026:10:42:35.049] web web/<NOSRV> 0/-1/-1/-1/0 429 225 - - PR-- 1/1/0/0/0 0/0 "GET /deny HTTP/1.1")x"),
      1200U);
  EXPECT_EQ(
      one("haproxy",
          R"x(127.0.0.1:4 [24/Nov/2026:10:42:35.404] web none/gone 0/0/-1/-1/3012 503 217 - - SC-- 1/1/0/0/3 0/0 "GET /none HTTP/1.1")x"),
      503U);
  // headgate says who ended a request: a suspension with 403 is a refusal, too.
  EXPECT_EQ(
      one("headgate",
          R"x({"ts":"2026-11-22T05:30:12Z","client_ip":"203.0.113.7","method":"GET","path":"/","status":403,"ended_by":"ban"})x"),
      1200U);
  EXPECT_EQ(
      one("headgate",
          R"x({"ts":"2026-11-22T05:30:12Z","client_ip":"203.0.113.7","method":"GET","path":"/","status":403,"ended_by":"auth"})x"),
      403U);
}

TEST(LogFormats, HaveLinesThatAreNoRequests) {
  auto log = read_text(R"x(127.0.0.1 - - [24/Nov/2026:10:42:34 +0000] "\x16\x03\x01\x00\xA5\x01" 400 157 "-" "-"
127.0.0.1 - - [24/Nov/2026:10:42:34 +0000] "-" 408 0 "-" "-"
127.0.0.1 - - [24/Nov/2026:10:42:34 +0000] "" 400 0 "-" "-"
)x");
  EXPECT_EQ(log.logs.at(0).format, "combined");
  EXPECT_EQ(log.counts.no_request, 3U);
  EXPECT_EQ(log.counts.unread, 0U);
  log = read_text(
      R"x(127.0.0.1:50334 [24/Nov/2026:10:42:44.940] web web/<NOSRV> -1/-1/-1/-1/0 400 0 - - PR-- 1/1/0/0/0 0/0 "<BADREQ>")x");
  EXPECT_EQ(log.logs.at(0).format, "haproxy");
  EXPECT_EQ(log.counts.no_request, 1U);
  log = read_text(
      R"x({"time":"2026-11-24T10:42:34+00:00","remote_addr":"127.0.0.1","request_method":"","request_uri":"","status":400}
{"time":"2026-11-24T10:42:34+00:00","remote_addr":"127.0.0.1","request_method":"GET","request_uri":"/","status":200})x");
  EXPECT_EQ(log.logs.at(0).format, "json");
  EXPECT_EQ(log.counts.no_request, 1U);
  EXPECT_EQ(log.counts.requests, 1U);
  log = read_text(
      R"x({"ts":"2026-11-22T05:30:12.345679Z","level":"warning","event":"redis_lost","server":"127.0.0.1:6379"}
{"ts":"2026-11-22T05:30:13Z","event":"request","client_ip":"203.0.113.7","method":"GET","path":"/","status":200}
{"level":"info","ts":1795516954.5,"logger":"tls","msg":"finished cleaning storage units"}
{"started":"now"}
)x");
  EXPECT_EQ(log.counts.no_request, 2U);
  EXPECT_EQ(log.counts.unread, 1U);
  EXPECT_EQ(log.counts.requests, 1U);
}

TEST(LogFormats, AreDescribedAsNginxDoes) {
  const access_logs::ReadOptions options{
      .format =
          R"($remote_addr $http_x_forwarded_for [$time_iso8601] $msec "$request" $status $body_bytes_sent $request_time "$upstream_addr" $upstream_response_time "$http_user_agent" $host ${scheme})",
      .values = {"msec", "upstream_addr"}};
  const auto log = read_text(
      R"x(127.0.0.1 198.51.100.7, 10.0.0.1 [2026-11-24T10:42:25+00:00] 1795516945.156 "GET /a%20b?x=1&y=%2F HTTP/1.1" 200 6 0.100 "-" - "curl \x22quoted\x22 \x5C \xC3\xA9" 127.0.0.1 https
127.0.0.1 - [2026-11-24T10:42:25+00:00] 1795516945.837 "GET /up HTTP/1.1" 200 16 0.001 "127.0.0.1:18082" 0.001, 0.002 : 0.001 "curl/7.88.1" 127.0.0.1 http
127.0.0.1 - [2026-11-24T10:42:34+00:00] 1795516954.195 "\x16\x03\x01\x00\xA5\x01" 400 157 0.023 "-" - "-"  http
)x",
      options);
  ASSERT_EQ(log.error, "");
  ASSERT_EQ(log.arrivals.size(), 2U);
  EXPECT_EQ(log.logs[0].format, "custom");
  EXPECT_EQ(log.counts.no_request, 1U);
  EXPECT_EQ(log.arrivals[0].at, access_logs::parse_moment("2026-11-24T10:42:25.056Z"));
  EXPECT_EQ(log.arrivals[0].field("X-Forwarded-For"), "198.51.100.7, 10.0.0.1");
  EXPECT_EQ(log.arrivals[0].host, "127.0.0.1");
  EXPECT_TRUE(log.arrivals[0].tls);
  EXPECT_EQ(log.arrivals[0].values, (std::vector<std::string>{"1795516945.156", ""}));
  EXPECT_EQ(log.arrivals[1].values[1], "127.0.0.1:18082");
  EXPECT_EQ(log.arrivals[1].field("User-Agent"), "curl/7.88.1");
  EXPECT_FALSE(log.counts.missing.fraction);
  EXPECT_FALSE(log.counts.missing.scheme);
  EXPECT_TRUE(log.counts.missing.request_size);

  const auto parts = read_text("203.0.113.7\t24/Nov/2026:10:42:25 +0000\tGET\t/a\tb=c\t200\n",
                               {.format = R"($remote_addr\t$time_local\t$request_method\t$uri\t$args\t$status)"});
  ASSERT_EQ(parts.error, "");
  ASSERT_EQ(parts.arrivals.size(), 1U);
  EXPECT_EQ(parts.arrivals[0].path, "/a");
  EXPECT_EQ(parts.arrivals[0].query, "?b=c");
}

TEST(LogFormats, ThatAreWrongSayWhatHelps) {
  const auto error_of = [](const std::string& format, std::vector<std::string> values = {}) {
    return read_text("127.0.0.1 - - [24/Nov/2026:10:42:34 +0000] \"GET / HTTP/1.1\" 200 1\n",
                     {.format = format, .values = std::move(values)})
        .error;
  };
  EXPECT_THAT(error_of("combind"), testing::HasSubstr("did you mean \"combined\"?"));
  EXPECT_THAT(error_of("$remote_addr$request"), testing::HasSubstr("nothing behind $remote_addr tells where it ends"));
  EXPECT_THAT(error_of("$remote_addr $ $request"), testing::HasSubstr("without the name of a variable"));
  EXPECT_THAT(error_of("", {"jwt.sub"}), testing::HasSubstr("no line has \"jwt.sub\""));
  EXPECT_THAT(error_of("", {"remote_usr"}), testing::HasSubstr("did you mean \"remote_user\"?: the format common has"));
  EXPECT_EQ(error_of("", {"remote_user"}), "");
  EXPECT_THAT(error_of("csv"), testing::HasSubstr("its first line names no column"));
}

}  // namespace
}  // namespace headgate::test
