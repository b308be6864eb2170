// Requests that could be read in two ways are refused, the connection is closed, and the server sees nothing.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headgate::test {
namespace {

/// A request hidden in each attack; it must never arrive.
const std::string kHidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";

/// Sends each of `requests` on its own connection. Expects one of `statuses` and a close, and that the server sees
/// nothing.
void expect_refused(const std::vector<std::string>& requests, const std::set<int>& statuses = {400}) {
  Proxy proxy;
  for (const auto& sent : requests) {
    SCOPED_TRACE(visible(sent));
    RawClient client = proxy.client();
    client.send(sent + kHidden);
    const Message answer = client.read();
    EXPECT_TRUE(statuses.contains(answer.status())) << answer.error << visible(answer.head);
    expect_problem(answer, answer.status());
    EXPECT_TRUE(client.closes());
    EXPECT_EQ(proxy.upstream.connections(), 0U);
  }
  EXPECT_EQ(proxy.client().get().status(), 200) << "it goes on for everybody else";
}

std::string posted(const std::string& fields, const std::string& body = "") {
  return request("POST", "/", fields, body);
}

TEST(StrictRequests, FoldedFieldsAreRefused) {
  expect_refused({posted("A: b\r\n c\r\n"), posted("A: b\r\n\tc\r\n"), posted("A:\r\n b\r\n"),
                  "GET / HTTP/1.1\r\n A: b\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n Host: x\r\n\r\n",
                  posted("Content-Length: 5\r\n 5\r\n", "hello"),
                  posted("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n")});
}

TEST(StrictRequests, TransferEncodingIsChunkedOrNothing) {
  std::vector<std::string> requests;
  for (const char* coding : {"chunked, identity", "xchunked", "chunked;q=1", "\"chunked\"", "chunkedx", "chunked,",
                             ",chunked", "chunked chunked", "chunked, chunked", "identity", "identity, chunked", "",
                             "chunk", "chunked\x0b", "'chunked'", "chunked;", "gzip"}) {
    requests.push_back(posted("Transfer-Encoding: " + std::string(coding) + "\r\n", "0\r\n\r\n"));
  }
  expect_refused(requests);
}

TEST(StrictRequests, CodingsBeforeChunkedAreNotOurs) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(posted("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + kHidden));
  const Message answer = client.read();
  EXPECT_TRUE(answer.status() == 501 || answer.status() == 400) << visible(answer.head);  // RFC 9112 6.1
  expect_problem(answer, answer.status());
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.upstream.connections(), 0U);
}

TEST(StrictRequests, ChunkedMayBeWrittenInAnyCase) {
  Proxy proxy;
  RawClient client = proxy.client();
  EXPECT_EQ(client.ask(posted("transfer-encoding: CHUNKED\r\n", "1\r\nx\r\n0\r\n\r\n")).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("Transfer-Encoding"), "chunked");
  EXPECT_EQ(proxy.forwarded().body, "x");
}

TEST(StrictRequests, TransferEncodingWithALengthIsRefused) {
  expect_refused({posted("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
                  posted("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                  posted("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                  posted("Content-Length: 5\r\nTransfer-Encoding: gzip\r\n", "hello"),
                  posted("Content-Length: 5\r\nTransfer-Encoding: identity\r\n", "hello"),
                  posted("Content-Length: 5\r\nTransfer-Encoding:\r\n", "hello"),
                  posted("content-length: 5\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n")});
}

TEST(StrictRequests, TransferEncodingIsSaidOnce) {
  expect_refused({posted("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                  posted("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                  posted("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"),
                  posted("Transfer-Encoding: x\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n")});
}

TEST(StrictRequests, TransferEncodingIsUnknownToHttp10) {
  expect_refused(
      {"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "POST / HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"});
}

TEST(StrictRequests, ALengthIsDigitsAlone) {
  std::vector<std::string> requests;
  for (const char* length : {"+5",
                             "-5",
                             "0x5",
                             "5 5",
                             "5,5",
                             "5, 5",
                             "00005",
                             "05",
                             "",
                             "five",
                             "5.0",
                             "5;",
                             "1e1",
                             "\"5\"",
                             "5\x0b",
                             "\xd9\xa5",
                             "18446744073709551616",
                             "18446744073709551615",
                             "9223372036854775808",
                             "99999999999999999999999",
                             "-0",
                             "- 1"}) {
    requests.push_back(posted("Content-Length: " + std::string(length) + "\r\n", "hello"));
  }
  expect_refused(requests);
}

TEST(StrictRequests, TheLargestLengthsAreOnlyTooLarge) {
  expect_refused(
      {posted("Content-Length: 4294967301\r\n", "hello"), posted("Content-Length: 999999999999999999\r\n", "hello")},
      {413});
  expect_refused({posted("Content-Length: 9223372036854775807\r\n", "hello")}, {400, 413});
}

TEST(StrictRequests, ALengthIsSaidOnce) {
  expect_refused({posted("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
                  posted("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
                  posted("Content-Length: 0\r\ncontent-length: 5\r\n", "hello")});
}

TEST(StrictRequests, SpaceAroundALengthIsNoPartOfIt) {
  Proxy proxy;
  EXPECT_EQ(proxy.client().ask(posted("Content-Length: \t 5 \t\r\n", "hello")).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("Content-Length"), "5");
  EXPECT_EQ(proxy.forwarded().body, "hello");
}

TEST(StrictRequests, ThereIsOneHost) {
  expect_refused({"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
                  "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\r\n",
                  "GET http://a/ HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"});
}

TEST(StrictRequests, AHostIsOneName) {
  std::vector<std::string> requests;
  for (const char* host :
       {"a b",     "a@b",  "user:pass@b", "a,b",    "a, b", "a/b", "a?b",   "a#b", "a\\b", "a:b",  "a:99999999",
        "a:80:80", "[::1", "::1",         "[::1]x", "a\"b", "<a>", "a\x7f", "a^b", "a|b",  "a{b}", "[zz]"}) {
    requests.push_back("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
  }
  expect_refused(requests);
}

TEST(StrictRequests, NothingStandsBeforeTheColon) {
  expect_refused({posted("A : b\r\n"), posted("A\t: b\r\n"), posted(": b\r\n"), posted("A b: c\r\n"),
                  posted("no colon\r\n"), posted("Content-Length : 5\r\n", "hello"),
                  posted("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
                  posted("Transfer-Encoding\x0b: chunked\r\n", "0\r\n\r\n"), posted("A(b): c\r\n"),
                  posted("A\"b\": c\r\n"), posted("\xc3\xa9: c\r\n"), posted("A@b: c\r\n"), posted("A[]: c\r\n")});
}

TEST(StrictRequests, ControlBytesAreRefusedInFields) {
  std::vector<std::string> requests;
  for (const char control : {'\0', '\1', '\b', '\v', '\f', '\x1b', '\x7f', '\r'}) {
    requests.push_back(posted(std::string("A: b") + control + "c\r\n"));
    requests.push_back(posted(std::string("A") + control + "b: c\r\n"));
  }
  requests.push_back(posted("A: b\rContent-Length: 5\r\n"));
  expect_refused(requests);
}

TEST(StrictRequests, OddBytesAreRefusedInTheTarget) {
  std::vector<std::string> requests;
  for (const char odd : {'\0', '\1', '\b', '\t', '\v', '\f', '\r', '\x1b', '\x7f', ' ', '\xc3', '\xff'}) {
    requests.push_back(std::string("GET /a") + odd + "b HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  requests.push_back(request("GET", "/a#fragment"));
  expect_refused(requests, {400, 505});  // after a space the rest is an unknown version
}

TEST(StrictRequests, RequestLinesAreThreeWordsAndTwoSpaces) {
  expect_refused(
      {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /  HTTP/1.1\r\nHost: x\r\n\r\n", " GET / HTTP/1.1\r\nHost: x\r\n\r\n",
       "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", "GET /\r\nHost: x\r\n\r\n",
       "GET\r\nHost: x\r\n\r\n", " / HTTP/1.1\r\nHost: x\r\n\r\n", "G(T / HTTP/1.1\r\nHost: x\r\n\r\n",
       "GET: / HTTP/1.1\r\nHost: x\r\n\r\n", "GET HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"},
      {400, 505});
}

TEST(StrictRequests, OtherVersionsAreRefused) {
  Proxy proxy;
  for (const char* version : {"HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/1", "HTTP/11", "HTTP/1.10", "HTTP/1.1.1",
                              "http/1.1", "HTTPS/1.1", "HTTP/1,1", "HTTP 1.1", "HTTP/+1.1", "HTTP/ 1.1", "/1.1"}) {
    RawClient client = proxy.client();
    const Message answer = client.ask("GET / " + std::string(version) + "\r\nHost: x\r\n\r\n" + kHidden);
    EXPECT_TRUE(answer.status() == 400 || answer.status() == 505) << version << visible(answer.head);
    EXPECT_TRUE(client.closes()) << version;
  }
  RawClient preface = proxy.client();
  preface.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const Message answer = preface.read();
  EXPECT_TRUE(answer.status() == 400 || answer.status() == 505) << visible(answer.head);
  EXPECT_TRUE(preface.closes());
  EXPECT_EQ(proxy.upstream.connections(), 0U);
}

TEST(StrictRequests, BareLineFeedsEndNothing) {
  // Refused at once or after the timeout of the head. Nothing may be forwarded, and the connection must end.
  Proxy proxy(R"({"timeouts": {"head": "300ms", "idle": "300ms"}})"_json);
  for (const std::string sent : {"GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\n\r\n",
                                 "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n",
                                 "GET / HTTP/1.1\r\nHost: x\r\nA: b\nContent-Length: 5\r\n\r\n",
                                 "GET / HTTP/1.1\r\nHost: x\r\n\n", "\n\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    SCOPED_TRACE(visible(sent));
    RawClient client = proxy.client();
    client.send(sent);
    const Message answer = client.read();
    EXPECT_TRUE(answer.status() == 400 || answer.status() == 408) << answer.error << visible(answer.head);
    EXPECT_TRUE(client.closes());
    EXPECT_EQ(proxy.upstream.connections(), 0U);
  }
}

/// The head is valid, so it may have been forwarded. The request must never become complete.
void expect_broken_chunks(const std::vector<std::string>& bodies) {
  for (const auto& body : bodies) {
    SCOPED_TRACE(visible(body));
    Proxy proxy(R"({"timeouts": {"body": "300ms"}})"_json);
    RawClient client = proxy.client();
    client.send(request("POST", "/first", "Transfer-Encoding: chunked\r\n", body) + kHidden);
    const Message answer = client.read();
    EXPECT_TRUE(answer.status() == 400 || answer.status() == 408) << answer.error << visible(answer.head);
    EXPECT_TRUE(client.closes());
    for (const auto& seen : proxy.upstream.requests()) {
      EXPECT_EQ(seen.message.target(), "/first");
      EXPECT_FALSE(seen.whole) << visible(seen.message.framed_body);
    }
  }
}

TEST(StrictRequests, ChunkSizesAreHexadecimalDigitsAlone) {
  expect_broken_chunks({"\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "-1\r\nhello\r\n0\r\n\r\n",
                        "+5\r\nhello\r\n0\r\n\r\n", "g\r\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n",
                        "5 5\r\nhello\r\n0\r\n\r\n", "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
                        "fffffffffffffffff\r\nhello\r\n0\r\n\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n",
                        "100000000000000000000000005\r\nhello\r\n0\r\n\r\n", "5\x0b\r\nhello\r\n0\r\n\r\n",
                        "\"5\"\r\nhello\r\n0\r\n\r\n", "5,\r\nhello\r\n0\r\n\r\n"});
}

TEST(StrictRequests, ChunksEndWhereTheySaid) {
  expect_broken_chunks({"5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
                        "5\r\nhello\r0\r\n\r\n", "5\r\nhell\r\n0\r\n\r\n", "0\r\nA: b\r\n c\r\n\r\n",
                        "0\r\nno colon\r\n\r\n", "0\r\nA : b\r\n\r\n"});
}

TEST(StrictRequests, ChunkLinesEndInBothBytes) {
  expect_broken_chunks({"5\nhello\r\n0\r\n\r\n", "5;a=b\nhello\r\n0\r\n\r\n", "5;a\nhello\r\n0\r\n\r\n",
                        "5\rhello\r\n0\r\n\r\n", "5;\n\r\nhello\r\n0\r\n\r\n", "0\n\r\n", "0\r\nA: b\n\r\n"});
}

TEST(StrictRequests, NothingIsHiddenInABody) {
  Proxy proxy;
  RawClient client = proxy.client();
  EXPECT_EQ(client.ask(request_with_body("POST", "/first", kHidden)).status(), 200);
  EXPECT_EQ(proxy.forwarded().body, kHidden);
  EXPECT_EQ(client.get("/second").status(), 200);
  EXPECT_EQ(client.ask(request_with_body("GET", "/third", kHidden)).status(), 200) << "a GET may have a body";
  EXPECT_EQ(
      client.ask(request("DELETE", "/fourth", "Transfer-Encoding: chunked\r\n", "21\r\n" + kHidden + "\r\n0\r\n\r\n"))
          .status(),
      200);
  ASSERT_EQ(proxy.upstream.request_count(), 4U);
  for (const auto& seen : proxy.upstream.requests()) EXPECT_NE(seen.message.target(), "/hidden");
}

TEST(StrictRequests, NothingIsHiddenBehindARefusal) {
  Proxy proxy(R"({"routes": [{"path": "/ok/*", "to": "app", "methods": ["GET"]}]})"_json);
  for (const char* target : {"/nowhere", "/ok/x"}) {  // no route; no such method
    RawClient client = proxy.client();
    client.send(request_with_body("POST", target, "GET /ok/hidden HTTP/1.1\r\nHost: x\r\n\r\n"));
    const Message answer = client.read();
    EXPECT_TRUE(answer.status() == 404 || answer.status() == 405);
    client.send(request("GET", "/ok/next"));
    const Message next = client.read();
    EXPECT_TRUE(next.status() == 200 || !next.ok()) << "either the body was skipped or the connection closed";
  }
  for (const auto& seen : proxy.upstream.requests()) EXPECT_EQ(seen.message.target(), "/ok/next");
}

}  // namespace
}  // namespace headgate::test
