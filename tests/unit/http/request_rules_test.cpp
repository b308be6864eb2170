// The rules of a request as a protocol without HTTP/1.1's lines calls them: they are the same.

#include "headgate/http/request_rules.hpp"

#include "headgate/http/fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {
namespace {

constexpr unsigned kNoLines = 20;

/// What a request of another protocol is refused with; "" if it is not.
std::string refusal(RequestHead& head, const RequestTarget& target, std::vector<std::string_view> hosts = {}) {
  head.version = kNoLines;
  head.fields.clear();
  for (const auto host : hosts) head.fields.push_back({Known::host, "host", host});
  const auto ruled = apply_request_rules(target, Paths::normalised, head);
  return ruled.has_error() ? ruled.error().why : "";
}

TEST(RequestRules, TakeTheAuthorityThatTheProtocolNames) {
  RequestHead head;
  head.method = "GET";
  EXPECT_EQ(refusal(head, {.authority = "A.example:8080", .path = "/a/%62/../c?q=1"}), "");
  EXPECT_EQ(head.authority, "A.example:8080");
  EXPECT_EQ(head.host, "a.example");
  EXPECT_EQ(head.path, "/a/c");
  EXPECT_EQ(head.query, "?q=1");
  EXPECT_EQ(refusal(head, {.authority = "b.example", .path = "/"}, {"a.example"}), "");
  EXPECT_EQ(head.host, "b.example") << "in place of Host";
}

TEST(RequestRules, NeedAHostOnce) {
  RequestHead head;
  head.method = "GET";
  EXPECT_EQ(refusal(head, {.path = "/"}), "Host is missing");
  EXPECT_EQ(refusal(head, {.path = "/"}, {"a.example"}), "");
  EXPECT_EQ(refusal(head, {.authority = "a.example", .path = "/"}, {"a.example", "a.example"}), "Host occurs twice");
  EXPECT_EQ(refusal(head, {.authority = "a b", .path = "/"}),
            "the target's host is not a host name with an optional port");
}

TEST(RequestRules, RefuseMethodsAndPathsAsForAnyRequest) {
  RequestHead head;
  head.method = "get";
  EXPECT_EQ(refusal(head, {.authority = "a", .path = "/"}), "methods are written in capital letters");
  head.method = "CONNECT";
  EXPECT_EQ(refusal(head, {.authority = "a", .path = "/"}), "CONNECT is not supported");
  head.method = "GET";
  EXPECT_EQ(refusal(head, {.authority = "a", .path = "/a\x01"}),
            "the path contains a character or escape that is not allowed");
  EXPECT_EQ(refusal(head, {.path = "*"}, {"a"}), "the target * belongs to OPTIONS");
}

TEST(RequestRules, KeepNothingOfTheRequestBefore) {
  RequestHead head;
  head.method = "GET";
  EXPECT_EQ(refusal(head, {.authority = "a.example", .path = "/%41?q"}), "");
  head.method = "OPTIONS";
  head.version = 10;
  head.fields.clear();
  EXPECT_TRUE(apply_request_rules({.path = "*"}, Paths::normalised, head).has_value());
  EXPECT_EQ(head.host, "");
  EXPECT_EQ(head.authority, "");
  EXPECT_EQ(head.query, "");
  EXPECT_EQ(head.path_to_send(), "*");
}

}  // namespace
}  // namespace headgate::http
