#include "headgate/http/h1/refused.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::http::h1 {
namespace {

struct RefusedHead : testing::Test {
  const RequestHead& read(const std::string& bytes) {
    text = bytes;
    read_refused_head(text, {}, head);
    return head;
  }
  std::string text;
  RequestHead head;
};

TEST_F(RefusedHead, TellsWhatCanBeReadInOneWayOnly) {
  const auto& known = read("POST /a/%62?key=secret HTTP/1.1\r\nHost: Shop.example:80\r\nBad Field: x\r\n\r\n");
  EXPECT_EQ(known.method, "POST");
  EXPECT_EQ(known.path, "/a/b");
  EXPECT_EQ(known.host, "shop.example");
  EXPECT_EQ(known.authority, "Shop.example:80");
  EXPECT_EQ(known.query, "");
}

TEST_F(RefusedHead, NamesNoHostOfSeveral) {
  const auto& known = read("GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n");
  EXPECT_EQ(known.path, "/");
  EXPECT_EQ(known.host, "");
  EXPECT_EQ(known.authority, "");
}

TEST_F(RefusedHead, NamesNoHostBesideAnAbsoluteTarget) {
  const auto& known = read("GET http://a.example/x HTTP/1.1\r\nHost: b.example\r\n bad\r\n\r\n");
  EXPECT_EQ(known.method, "GET");
  EXPECT_EQ(known.path, "");
  EXPECT_EQ(known.host, "");
}

TEST_F(RefusedHead, KnowsThePathBeforeAQueryThatIsTooLong) {
  const auto& known = read("GET /search?q=" + std::string(9000, 'a'));
  EXPECT_EQ(known.method, "GET");
  EXPECT_EQ(known.path, "/search");
  EXPECT_EQ(known.host, "");
}

TEST_F(RefusedHead, CutsNoPath) {
  EXPECT_EQ(read("GET /" + std::string(9000, 'a')).path, "");
  EXPECT_EQ(read("GET /sea").path, "") << "it may go on";
}

TEST_F(RefusedHead, KeepsNothingOfTheRequestBefore) {
  read("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n");
  for (const char* next :
       {"", "\r\n", " / HTTP/1.1\r\n\r\n", "G\x01T / HTTP/1.1\r\n\r\n", "\n\n\n", "GET /%zz HTTP/1.1\r\n"}) {
    const auto& known = read(next);
    EXPECT_EQ(known.path, "") << next;
    EXPECT_EQ(known.host, "") << next;
  }
}

TEST_F(RefusedHead, LeavesOutATargetWithAControlCharacter) {
  EXPECT_EQ(read(std::string("GET /a\x7f HTTP/1.1\r\nHost: a\r\n\r\n")).path, "");
  EXPECT_EQ(read(std::string("GET /a\x1b[31m HTTP/1.1\r\nHost: a\r\n\r\n")).path, "");
}

}  // namespace
}  // namespace headgate::http::h1
