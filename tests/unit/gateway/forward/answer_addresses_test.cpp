// Location, Content-Location and cookies of a server that was asked under another name or path.

#include "../../../../src/gateway/forward/answer_addresses.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::gateway {
namespace {

AddressMap a_map() {
  return {.server = "app-1:3000",
          .asked = "shop.internal",
          .scheme = "https",
          .authority = "www.example.com",
          .stripped = {},
          .added = {}};
}
std::string url(const AddressMap& map, std::string_view value) {
  TextArena text;
  return std::string(for_client(text, map, value));
}
std::string cookie(const AddressMap& map, std::string_view value) {
  TextArena text;
  return std::string(cookie_for_client(text, map, value));
}

TEST(AnswerAddresses, OfTheServerBecomeThoseOfTheClient) {
  const auto map = a_map();
  EXPECT_EQ(url(map, "http://app-1:3000/login?x=1#y"), "https://www.example.com/login?x=1#y");
  EXPECT_EQ(url(map, "HTTP://Shop.Internal/login"), "https://www.example.com/login");
  EXPECT_EQ(url(map, "https://shop.internal:443/login"), "https://www.example.com/login");
  EXPECT_EQ(url(map, "//shop.internal/login"), "https://www.example.com/login");
  EXPECT_EQ(url(map, "http://shop.internal"), "https://www.example.com");
}

TEST(AnswerAddresses, OfOthersStay) {
  const auto map = a_map();
  for (const std::string_view other :
       {"https://login.example.com/x", "http://shop.internal.evil.example/",
        "http://evil.example/http://shop.internal/", "http://user@shop.internal/", "http://shop.internal:8080/",
        "mailto:a@shop.internal", "ftp://shop.internal/x", "login", "?x=1", "/login", "", "http:shop.internal",
        "//evil.example//shop.internal/"})
    EXPECT_EQ(url(map, other), other);
}

TEST(AnswerAddresses, GetTheStrippedPrefixBack) {
  auto map = a_map();
  map.stripped = "/api";
  EXPECT_EQ(url(map, "/login"), "/api/login");
  EXPECT_EQ(url(map, "/"), "/api/");
  EXPECT_EQ(url(map, "http://app-1:3000/login"), "https://www.example.com/api/login");
  EXPECT_EQ(url(map, "http://app-1:3000?x"), "https://www.example.com/api?x");
  EXPECT_EQ(url(map, "/apis"), "/api/apis");
  EXPECT_EQ(url(map, "/api/login"), "/api/login") << "the server has read X-Forwarded-Prefix";
  EXPECT_EQ(url(map, "login"), "login") << "relative: the client resolves it below the prefix";
  EXPECT_EQ(url(map, "//evil.example/x"), "//evil.example/x") << "no path";
}

TEST(AnswerAddresses, LoseThePrefixThatOnlyTheServerSees) {
  auto map = a_map();
  map.stripped = "/api";
  map.added = "/v2";
  EXPECT_EQ(url(map, "/v2/login"), "/api/login");
  EXPECT_EQ(url(map, "/v2"), "/api");
  EXPECT_EQ(url(map, "/v2?x"), "/api?x");
  EXPECT_EQ(url(map, "/v20"), "/v20") << "the route does not lead there";
  map.stripped = {};
  EXPECT_EQ(url(map, "/v2/login"), "/login");
  EXPECT_EQ(url(map, "/v2"), "/");
}

TEST(AnswerAddresses, WithoutTheClientsHostOnlyPathsAreTurned) {
  auto map = a_map();
  map.authority = {};
  map.stripped = "/api";
  EXPECT_EQ(url(map, "http://app-1:3000/login"), "http://app-1:3000/login");
  EXPECT_EQ(url(map, "/login"), "/api/login");
}

TEST(AnswerAddresses, CookiesOfTheServersHostBecomeCookiesOfTheClients) {
  const auto map = a_map();
  EXPECT_EQ(cookie(map, "id=1; Domain=shop.internal; Secure"), "id=1; Secure");
  EXPECT_EQ(cookie(map, "id=1;domain=.internal;HttpOnly"), "id=1;HttpOnly");
  EXPECT_EQ(cookie(map, "id=1; Domain=app-1"), "id=1");
  EXPECT_EQ(cookie(map, "id=1; Domain=example.com; Path=/x"), "id=1; Domain=example.com; Path=/x");
  EXPECT_EQ(cookie(map, "id=1; Domain=other.example"), "id=1; Domain=other.example") << "not ours to judge";
  EXPECT_EQ(cookie(map, "id=a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT"),
            "id=a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT");
  EXPECT_EQ(cookie(map, "domain=shop.internal"), "domain=shop.internal") << "the first part is the cookie itself";
  EXPECT_EQ(cookie(map, ""), "");
}

TEST(AnswerAddresses, PathsOfCookiesFollowTheRoute) {
  auto map = a_map();
  map.stripped = "/api";
  EXPECT_EQ(cookie(map, "id=1; Path=/; Secure"), "id=1; Path=/api; Secure") << "also for the prefix itself";
  EXPECT_EQ(cookie(map, "id=1; path=/cart"), "id=1; Path=/api/cart");
  EXPECT_EQ(cookie(map, "id=1; Path=/api/cart"), "id=1; Path=/api/cart");
  EXPECT_EQ(cookie(map, "id=1"), "id=1");
  EXPECT_EQ(cookie(map, "__Host-id=1; Path=/; Secure"), "__Host-id=1; Path=/; Secure") << "else browsers refuse it";
  map.added = "/v2";
  EXPECT_EQ(cookie(map, "id=1; Path=/v2"), "id=1; Path=/api");
  EXPECT_EQ(cookie(map, "id=1; Path=/"), "id=1; Path=/");
}

}  // namespace
}  // namespace headgate::gateway
