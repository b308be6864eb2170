// The server gets what the client sent, and the other way round.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

TEST(Forwarding, PassesMethodTargetAndBodyUnchanged) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string body("one\0two\r\n\r\nthree", 16);
  for (const char* target : {"/", "/a/b?x=1&y=%20%41", "/a%40b/%7Euser", "/?q=a//b/../c%2F", "/a;b=c/d", "/%E2%82%AC",
                             "/a?", "/~user/(x)!$&'*+,=:@", "/a?b?c=[d]|{e}"}) {
    const Message answer = client.ask(request_with_body("POST", target, body));
    ASSERT_EQ(answer.status(), 200) << target << visible(answer.head + answer.body);
    EXPECT_EQ(proxy.forwarded().start_line, "POST " + std::string(target) + " HTTP/1.1");
    EXPECT_EQ(proxy.forwarded().body, body) << target;
  }
  EXPECT_EQ(proxy.upstream.complaints(), "");
}

TEST(Forwarding, PassesEveryMethod) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* method : {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "M-SEARCH", "PURGE",
                             "QUERY", "BREW", "REPORT", "x!#$%&'*+-.^_`|~9"}) {
    const Message answer = client.ask(request(method, "/x"));
    EXPECT_EQ(answer.status(), 200) << method << ": " << visible(answer.head + answer.body);
    EXPECT_EQ(proxy.forwarded().method(), method);
  }
}

TEST(Forwarding, DoesNotTakeOneMethodForAnother) {
  Proxy proxy;
  const Message answer = proxy.client().ask(request("get", "/x"));  // methods are case-sensitive (RFC 9110 9.1)
  if (answer.status() == 200) {
    EXPECT_EQ(proxy.forwarded().method(), "get");
  } else {
    EXPECT_EQ(proxy.upstream.request_count(), 0U) << visible(answer.head);
  }
}

TEST(Forwarding, PassesFieldsInTheirOrder) {
  Proxy proxy;
  const Message answer = proxy.client().get(
      "/", "Accept: a\r\nX-Empty:\r\nCookie: a=b; c=\"d\"\r\naccept: b\r\nX-Tab: a\tb\r\nX-Text: caf\xc3\xa9 \xff\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
  EXPECT_EQ(proxy.forwarded().all("Accept"), "a, b");
  EXPECT_EQ(proxy.forwarded().count("X-Empty"), 1U);
  EXPECT_EQ(proxy.forwarded().value("X-Empty"), "");
  EXPECT_EQ(proxy.forwarded().value("Cookie"), "a=b; c=\"d\"");
  EXPECT_EQ(proxy.forwarded().value("X-Tab"), "a\tb");
  EXPECT_EQ(proxy.forwarded().value("X-Text"), "caf\xc3\xa9 \xff");
}

TEST(Forwarding, TrimsOnlyTheSpaceAroundAValue) {
  Proxy proxy;
  ASSERT_EQ(proxy.client().get("/", "X-Space: \t  a  b \t \r\n").status(), 200);
  EXPECT_EQ(proxy.forwarded().value("X-Space"), "a  b");
}

TEST(Forwarding, PassesStatusAndReason) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const int status : {200, 201, 299, 301, 400, 404, 418, 429, 500, 503, 599}) {
    const Message answer =
        client.get("/", "X-Test-Reason: As I say\r\nX-Test-Status: " + std::to_string(status) + "\r\n");
    EXPECT_EQ(answer.start_line, "HTTP/1.1 " + std::to_string(status) + " As I say");
    EXPECT_EQ(answer.body, pattern(3)) << status;
  }
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(Forwarding, PassesAnAnswerWithoutAReason) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* line : {"HTTP/1.1 200 ", "HTTP/1.1 200"}) {  // the space is required, its absence is common
    const Message answer =
        client.get("/", "X-Test-Raw: " + to_hex(std::string(line) + "\r\nContent-Length: 2\r\n\r\nok") + "\r\n");
    if (answer.status() == 502 && std::string(line).back() != ' ') continue;
    EXPECT_EQ(answer.status(), 200) << line << visible(answer.head);
    EXPECT_EQ(answer.body, "ok");
  }
}

TEST(Forwarding, PassesRepeatedAnswerFieldsSeparately) {
  Proxy proxy;
  const Message answer = proxy.client().get(
      "/", "X-Test-Field: Set-Cookie: a=1, x\r\nX-Test-Field: Server: theirs\r\nX-Test-Field: Set-Cookie: b=2\r\n");
  EXPECT_EQ(answer.count("Set-Cookie"), 2U) << visible(answer.head);
  EXPECT_EQ(answer.all("Set-Cookie"), "a=1, x, b=2");
  EXPECT_EQ(answer.all("Server"), "theirs");
}

TEST(Forwarding, AnswersToHeadHaveALengthAndNoBody) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* fields : {"X-Test-Bytes: 1000\r\n", "X-Test-Bytes: 1000\r\nX-Test-Chunked: 10\r\n"}) {
    const Message answer = client.ask(request("HEAD", "/", fields), Kind::answer_to_head);
    EXPECT_EQ(answer.status(), 200);
    const bool chunked = std::string(fields).find("Chunked") != std::string::npos;
    EXPECT_EQ(answer.value("Content-Length"), chunked ? "" : "1000");
    EXPECT_EQ(client.get().body, pattern(3)) << "the connection is out of step after " << fields;
  }
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(Forwarding, AnswersWithoutABodyLeaveTheConnectionsUsable) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* status : {"204", "304"}) {
    const Message answer = client.get("/", std::string("X-Test-Status: ") + status + "\r\n");
    EXPECT_EQ(std::to_string(answer.status()), status);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(client.get().status(), 200);
  }
  const std::string raw = "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 1000\r\n\r\n";
  const Message answer = client.get("/", "X-Test-Raw: " + to_hex(raw) + "\r\n");
  EXPECT_EQ(answer.status(), 304) << "a 304 may tell the length of what it spares (RFC 9110 15.4.5)";
  EXPECT_EQ(answer.value("ETag"), "\"x\"");
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(Forwarding, PassesEarlyHints) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Interim: 103\r\n"));
  const Message hint = client.read_head();
  EXPECT_EQ(hint.status(), 103) << visible(hint.head);
  EXPECT_EQ(hint.value("Link"), "</a.css>");
  EXPECT_FALSE(hint.has("Content-Length"));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(Forwarding, AddsItselfToVia) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.forwarded().all("Via"), "1.1 headgate");
  ASSERT_EQ(client.get("/", "Via: 1.0 fred\r\n").status(), 200);
  EXPECT_EQ(proxy.forwarded().all("Via"), "1.0 fred, 1.1 headgate");
}

TEST(Forwarding, TakesTheHostOfAnAbsoluteTarget) {
  Proxy proxy;
  RawClient client = proxy.client();
  const auto ask = [&](const std::string& target) {
    const Message answer = client.ask(request("GET", target));
    EXPECT_EQ(answer.status(), 200) << target << visible(answer.head + answer.body);
    return proxy.forwarded();
  };
  EXPECT_EQ(ask("http://other.example/abs?x=1").target(), "/abs?x=1");
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Host"), "other.example") << "Host must be ignored (RFC 9112 3.2.2)";
  EXPECT_EQ(proxy.forwarded().count("Host"), 1U);
  EXPECT_EQ(ask("http://other.example").target(), "/");
  EXPECT_EQ(ask("HTTP://other.example:8080/x").target(), "/x");
  EXPECT_EQ(ask("http://other.example?x").target(), "/?x");
}

TEST(Forwarding, RefusesAbsoluteTargetsThatMeanNothing) {
  for (const char* target : {"ftp://a/", "http:///x", "http://", "http:/a", "http://u:p@h/", "http://h:port/", "foo",
                             "foo/bar", "?x", "#f"}) {
    Proxy proxy;
    RawClient client = proxy.client();
    const Message answer = client.ask(request("GET", target));
    expect_problem(answer, 400);
    EXPECT_TRUE(client.closes()) << target;
    EXPECT_EQ(proxy.upstream.request_count(), 0U) << target;
  }
}

TEST(Forwarding, AnswersOptionsForTheWholeServer) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.ask(request("OPTIONS", "*"));
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_TRUE(answer.status() == 200 || answer.status() == 204 || answer.status() == 404) << visible(answer.head);
  EXPECT_EQ(client.get().status(), 200) << "the connection is as good as before";
}

TEST(Forwarding, RefusesTheAsteriskForOtherMethods) {
  Proxy proxy;
  RawClient client = proxy.client();
  expect_problem(client.ask(request("GET", "*")), 400);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Forwarding, IsNoTunnelToAnywhere) {
  Proxy proxy;
  for (const char* target : {"127.0.0.1:1", "example.com:443", "/", "http://x/"}) {
    RawClient client = proxy.client();
    const Message answer = client.ask(request("CONNECT", target) + "abc");
    EXPECT_TRUE(answer.status() == 400 || answer.status() == 405 || answer.status() == 501) << visible(answer.head);
    EXPECT_TRUE(client.closes()) << target;
  }
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Forwarding, AnswersFromTheConfigurationNeedNoServer) {
  Proxy proxy(R"({"routes": [{"path": "/status", "respond": {"status": 203, "body": "fine\n"}},
                             {"path": "/*", "to": "app"}]})"_json);
  RawClient client = proxy.client();
  const Message answer = client.get("/status");
  EXPECT_EQ(answer.status(), 203);
  EXPECT_EQ(answer.body, "fine\n");
  EXPECT_EQ(answer.value("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(client.ask(request("HEAD", "/status"), Kind::answer_to_head).value("Content-Length"), "5");
  EXPECT_EQ(client.ask(request_with_body("POST", "/status", "ignored")).status(), 203);
  EXPECT_EQ(client.get("/other").status(), 200);
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

}  // namespace
}  // namespace headgate::test
