#include "unit/http/heads.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headgate::http::h1 {
namespace {

using test::Read;
using test::refused;
using test::request;

TEST(HeadSize, IsTheSameHoweverTheHeadArrives) {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nbody\r\n\r\n";
  const std::size_t size = bytes.find("body");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    std::size_t scanned = 0, found = 0;
    for (std::size_t have = 0; have < bytes.size() && found == 0;) {
      have = std::min(have + step, bytes.size());
      found = head_size(std::string_view(bytes).substr(0, have), scanned);
      ASSERT_EQ(found == 0, have < size) << "step " << step << " have " << have;
    }
    ASSERT_EQ(found, size) << "step " << step;
  }
}

TEST(ParseRequest, ReadsEveryPartOfAHead) {
  const Read head(
      request("PATCH /a/%62/../c?q=1&r=/../ HTTP/1.1", "Host: A.example:8080\r\nX-One:  1 \r\nx-one:2\r\nAccept:\r\n"));
  ASSERT_TRUE(head.result.has_value()) << head.result.error().why;
  EXPECT_EQ(head->method, "PATCH");
  EXPECT_EQ(head->target, "/a/%62/../c?q=1&r=/../");
  EXPECT_EQ(head->path, "/a/c");
  EXPECT_EQ(head->query, "?q=1&r=/../");
  EXPECT_EQ(head->authority, "A.example:8080");
  EXPECT_EQ(head->version, 11U);
  ASSERT_EQ(head->fields.size(), 4U);
  EXPECT_EQ(head->fields[1].name, "X-One");
  EXPECT_EQ(head->fields[1].value, "1");
  EXPECT_EQ(head->fields[2].value, "2");
  EXPECT_EQ(head->fields[3].id, Known::accept);
  EXPECT_EQ(head->fields[3].value, "");
  EXPECT_EQ(head->framing.kind, Framing::Kind::none);
  EXPECT_TRUE(head.result->keep_alive);
  EXPECT_FALSE(head.result->expects_continue);
  EXPECT_FALSE(head->head());
}

TEST(ParseRequest, KeepsNothingOfTheHeadBefore) {
  RequestHead head;
  const auto first =
      request("POST /first?x HTTP/1.1",
              "Host: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close, upgrade\r\nUpgrade: x\r\n");
  EXPECT_TRUE(parse_request(first, {}, head)->expects_continue);
  const auto second = request("GET / HTTP/1.1", "Host: b\r\n");
  const auto wire = *parse_request(second, {}, head);
  EXPECT_EQ(head.path, "/");
  EXPECT_EQ(head.query, "");
  EXPECT_EQ(head.authority, "b");
  EXPECT_EQ(head.fields.size(), 1U);
  EXPECT_EQ(head.framing.kind, Framing::Kind::none);
  EXPECT_FALSE(wire.expects_continue);
  EXPECT_TRUE(wire.keep_alive);
  EXPECT_EQ(head.upgrade, "");
}

TEST(ParseRequest, ReadsTheFormsOfATarget) {
  const std::vector<std::array<std::string_view, 4>> table = {
      // request line, path, query, authority
      {"GET / HTTP/1.1", "/", "", "a.example"},
      {"GET /x HTTP/1.1", "/x", "", "a.example"},
      {"GET /x? HTTP/1.1", "/x", "?", "a.example"},
      {"GET /?x=? HTTP/1.1", "/", "?x=?", "a.example"},
      {"GET http://b.example/x?y HTTP/1.1", "/x", "?y", "b.example"},
      {"GET HTTP://b.example:81/x HTTP/1.1", "/x", "", "b.example:81"},
      {"GET http://b.example HTTP/1.1", "/", "", "b.example"},
      {"GET http://b.example?y HTTP/1.1", "/", "?y", "b.example"},
      {"OPTIONS * HTTP/1.1", "*", "", "a.example"},
  };
  for (const auto& [line, path, query, authority] : table) {
    const Read head(request(line));
    ASSERT_TRUE(head.result.has_value()) << line << ": " << head.result.error().why;
    EXPECT_EQ(head->path, path) << line;
    EXPECT_EQ(head->query, query) << line;
    EXPECT_EQ(head->authority, authority) << line;
  }
}

TEST(ParseRequest, RefusesRequestLinesThatCanBeReadInTwoWays) {
  for (const std::string_view line : {"GET /",
                                      "GET  / HTTP/1.1",
                                      "GET / HTTP/1.1 ",
                                      "GET /  HTTP/1.1",
                                      " GET / HTTP/1.1",
                                      "GET\t/ HTTP/1.1",
                                      "G@T / HTTP/1.1",
                                      "GET / http/1.1",
                                      "GET / HTTP/1",
                                      "GET / HTTP/1.1x",
                                      "GET /a b HTTP/1.1",
                                      "GET / HTTP/1.11",
                                      "GET",
                                      "/ HTTP/1.1",
                                      "GET x HTTP/1.1",
                                      "GET * HTTP/1.1",
                                      "GET https://a.example/ HTTP/1.1",
                                      "GET ftp://a.example/ HTTP/1.1",
                                      "GET http:// HTTP/1.1",
                                      "GET http:/// HTTP/1.1",
                                      "GET http://u@a.example/ HTTP/1.1",
                                      "GET /a#b HTTP/1.1",
                                      "GET /a?b#c HTTP/1.1",
                                      "GET /a\\b HTTP/1.1",
                                      "GET /%zz HTTP/1.1",
                                      "GET /%00 HTTP/1.1",
                                      "GET /\xff HTTP/1.1"}) {
    EXPECT_EQ(refused(request(line)), 400U) << line;
  }
}

TEST(ParseRequest, RefusesVersionsAndMethodsItDoesNotOffer) {
  for (const std::string_view line : {"GET / HTTP/2.0", "GET / HTTP/3.0", "GET / HTTP/1.2", "GET / HTTP/0.9"}) {
    const auto status = refused(request(line));
    EXPECT_TRUE(status == 505 || status == 400) << line << " " << status;
  }
  EXPECT_EQ(refused(request("CONNECT a.example:443 HTTP/1.1")), 501U);
}

TEST(ParseRequest, RefusesMalformedLinesAndFields) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (const std::string_view rest :
       {"X: 1\n\r\n", "X: 1\r\n folded\r\n\r\n", "X: 1\r\n\tfolded\r\n\r\n", "X : 1\r\n\r\n", "X\t: 1\r\n\r\n",
        ": 1\r\n\r\n", "X\r\n\r\n", "X: a\rb\r\n\r\n", "X: a\x01\r\n\r\n", "X: a\x7f\r\n\r\n", "X(: 1\r\n\r\n",
        "X\xff: 1\r\n\r\n", "X Y: 1\r\n\r\n"}) {
    EXPECT_EQ(refused(head + std::string(rest)), 400U) << rest;
  }
  EXPECT_EQ(refused(head + std::string("X: a\0b\r\n\r\n", 10)), 400U);
  EXPECT_EQ(refused(std::string("GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", 30)), 400U);
  EXPECT_EQ(refused(head + "X: \xc3\xa9 \t!\r\n\r\n"), 0U) << "bytes beyond ASCII and tabs may stand in a value";
}

TEST(ParseRequest, RequiresExactlyOneValidHost) {
  const auto with = [](std::string_view fields) { return refused(request("GET / HTTP/1.1", fields)); };
  EXPECT_EQ(with("X: 1\r\n"), 400U) << "none";
  EXPECT_EQ(with("Host: a\r\nHost: a\r\n"), 400U) << "two, though alike";
  EXPECT_EQ(refused(request("GET http://a/ HTTP/1.1", "X: 1\r\n")), 400U) << "an absolute target is no Host";
  EXPECT_EQ(refused(request("GET / HTTP/1.0", "Host:\r\n")), 400U) << "none is not an empty one";
  for (const std::string_view host :
       {"a", "a.example", "a.example.", "A-b_c.example:8080", "10.0.0.1:1", "[::1]", "[2001:db8::1]:443", "a:"}) {
    EXPECT_EQ(with("Host: " + std::string(host) + "\r\n"), 0U) << host;
  }
  for (const std::string_view host :
       {"",       ":80",      "a,b",     "a b",   "a/b", "a\\b", "u@a", "a:80:80", "a:x",
        "a:-1",   "a:123456", "a:65536", "a:0",   "a..", "a..b", ".a",  "[:::]",   "[::1",
        "[::1]x", "[]",       "[g::1]",  "a%2eb", "a?b", "a#b",  "a;b", "::1",     "\xc3\xa9"}) {
    EXPECT_EQ(with("Host: " + std::string(host) + "\r\n"), 400U) << host;
  }
}

TEST(ParseRequest, NormalisesTheHost) {
  for (const std::string_view host : {"a.example", "A.Example.:80", "a.EXAMPLE:"}) {
    const Read head(request("GET / HTTP/1.1", "Host: " + std::string(host) + "\r\n"));
    ASSERT_TRUE(head.result.has_value()) << host;
    EXPECT_EQ(head->host, "a.example");
    EXPECT_EQ(head->authority, host) << "which is passed on";
  }
  EXPECT_EQ(Read(request("GET http://[0::1]:81/ HTTP/1.1"))->host, "[::1]") << "the target's, not the field's";
}

TEST(ParseRequest, AcceptsHttp10WithoutHost) {
  RequestHead head;
  ASSERT_TRUE(parse_request(request("GET / HTTP/1.1"), {}, head).has_value());
  const auto old = request("GET /old HTTP/1.0", "X: 1\r\n");
  ASSERT_TRUE(parse_request(old, {}, head).has_value());
  EXPECT_EQ(head.host, "") << "the one before is forgotten";
  EXPECT_EQ(head.authority, "");
  const auto absolute = request("GET http://B.example/ HTTP/1.0", "X: 1\r\n");
  ASSERT_TRUE(parse_request(absolute, {}, head).has_value());
  EXPECT_EQ(head.host, "b.example");
}

TEST(ParseRequest, RefusesStandardMethodsInAnotherCase) {
  for (const std::string_view method : {"post", "pOsT", "GeT", "PUt", "Delete", "head", "options", "Trace", "Patch",
                                        "connect", "propfind", "Query", "m-search", "purge"}) {
    EXPECT_EQ(refused(request(std::string(method) + " / HTTP/1.1")), 400U) << method;
  }
  for (const std::string_view method :
       {"GET", "QUERY", "M-SEARCH", "BREW", "brew", "Brew", "gett", "x!#$%&'*+-.^_`|~9"}) {
    EXPECT_EQ(refused(request(std::string(method) + " / HTTP/1.1")), 0U) << method << " is what it says";
  }
  EXPECT_EQ(refused(request(std::string(100, 'g') + " / HTTP/1.1")), 0U);
}

TEST(ParseRequest, DropsAnUpgradeToHttp) {
  const auto upgrade = [](std::string_view value) {
    const Read head(
        request("GET / HTTP/1.1", "Host: a\r\nConnection: Upgrade\r\nUpgrade: " + std::string(value) + "\r\n"));
    return std::string(head->upgrade);
  };
  for (const std::string_view value :
       {"h2c", "H2C", "h2c/1", "h2c/", "websocket, h2c/1", "h2c/2,websocket", "h2c ; a", "h2c-14", "h2", "HTTP/2.0",
        "http/1.1", "TLS/1.0, HTTP/1.1", "tls/1.2", "SHTTP/1.3", "x ,\th2C/7"})
    EXPECT_EQ(upgrade(value), "") << value;
  for (const std::string_view value : {"websocket", "WebSocket/13", "SPDY/3.1", "tcp", "connect-udp", "x-h2c", "httpx"})
    EXPECT_EQ(upgrade(value), value);
}

TEST(ParseRequest, BoundsTheTargetAndTheFields) {
  const Limits limits{3, 10};
  EXPECT_EQ(refused(request("GET /123456789 HTTP/1.1"), limits), 0U) << "ten bytes";
  EXPECT_EQ(refused(request("GET /1234567890 HTTP/1.1"), limits), 414U);
  EXPECT_EQ(refused(request("GET /" + std::string(100'000, 'a') + " HTTP/1.1"), {}), 414U);
  EXPECT_EQ(refused(request("GET / HTTP/1.1", "Host: a\r\nA: 1\r\nB: 2\r\n"), limits), 0U);
  EXPECT_EQ(refused(request("GET / HTTP/1.1", "Host: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n"), limits), 431U);
}

TEST(CheckUnfinished, RefusesAMalformedHeadBeforeItsEnd) {
  // The second method is an unusual one, but a token.
  for (const std::string head : {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "~0 / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    RequestHead whole;
    EXPECT_TRUE(parse_request(head, {100, 8192}, whole).has_value()) << head;
    std::size_t so_far = 0;
    for (std::size_t size = 0; size < head.size(); ++size) {
      std::size_t nothing = 0;
      EXPECT_TRUE(check_unfinished(std::string_view(head).substr(0, size), nothing).has_value()) << size;
      EXPECT_TRUE(check_unfinished(std::string_view(head).substr(0, size), so_far).has_value()) << size;
    }
  }
  for (const std::string_view bytes : {"\x16\x03\x01", " ", "\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: a\n",
                                       "GET /\rX", "GET / HTTP/1.1\r\nA: 1\r\n b"}) {
    std::size_t checked = 0;
    const auto result = check_unfinished(bytes, checked);
    ASSERT_TRUE(result.has_error()) << bytes;
    EXPECT_EQ(result.error().status, 400U);
  }
}

TEST(CheckUnfinished, GivesTheSameResultHoweverTheBytesArrive) {
  for (const std::string_view bytes : {"GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: a\nB", "GET /\rX", "GET /\r\r\n",
                                       "GET / HTTP/1.1\r\nA: 1\r\n b", "GET / HTTP/1.1\r\n\tb", "GET /\x01 H"}) {
    for (std::size_t piece = 1; piece <= 5; ++piece) {
      std::size_t checked = 0;
      bool refused = false;
      for (std::size_t size = piece; !refused && size < bytes.size() + piece; size += piece) {
        refused = check_unfinished(bytes.substr(0, size), checked).has_error();
      }
      EXPECT_TRUE(refused) << bytes << " in pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace headgate::http::h1
