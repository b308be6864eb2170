#include "../../../../src/gateway/record/refused_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

namespace headgate::gateway {
namespace {

struct RefusedText : testing::Test {
  const std::string& head(const std::string& bytes) {
    out = {};
    show_refused_head(bytes, std::nullopt, identity, out);
    return out.head;
  }
  /// The excerpt around the byte behind `before`, with brackets around it.
  std::string at(const std::string& before, const std::string& rest) {
    out = {};
    show_refused_head(before + rest, before.size(), identity, out);
    return out.before + '[' + out.wrong + ']' + out.after;
  }
  identity::IdentityOptions identity;
  RefusedRequest out;
};

TEST_F(RefusedText, ShowsAHeadAsItCame) {
  const std::string bytes = "GET /a?q=1 HTTP/1.1\r\nHost: a\r\nX-\x01: \xff\r\n\r\n";
  EXPECT_EQ(head(bytes + "the body"), bytes);
  EXPECT_FALSE(out.cut);
}

TEST_F(RefusedText, CutsNoCharacter) {
  EXPECT_EQ(at("GET /", "\u202e HTTP/1.1"), "GET /[\u202e] HTTP/1.1");
  EXPECT_EQ(at("GET /", "\xe2 HTTP/1.1"), "GET /[\xe2] HTTP/1.1");
  std::string path = "GET /a";
  for (int i = 0; i < 30; ++i) path += "\u20ac";
  at(path, path);
  EXPECT_TRUE(out.before.starts_with("\u20ac") && out.before.size() <= 48) << out.before;
  EXPECT_EQ(out.after, "ET /a\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac");
}

TEST_F(RefusedText, HidesWhatMayProveWhoCalls) {
  for (const std::string field :
       {"Authorization: Basic c2VjcmV0", "authorization:Bearer s3cret", "Cookie: sid=s3cret", "X-Api-Key: s3cret",
        "X-Auth-Token:\ts3cret", "Api_Key: s3cret", "X-Amz-Security-Token: s3cret", "X-Password: s3cret",
        "Proxy-Authorization: s3cret", "X-Forwarded: Bearer s3cret", "Authorization : Bearer s3cret",
        "Auth orization: s3cret", "Authorization Bearer s3cret", "Authorization\tBearer s3cret",
        "X: a\nAuthorization: s3cret", "X: a\rAuthorization: s3cret", "Authorization:\r\n s3cret",
        "Referer: https://a.example/reset?token=s3cret&b=1", "Link: https://me:s3cret@a.example/"}) {
    const auto& shown = head("GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n");
    EXPECT_EQ(shown.find("s3cret"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("c2VjcmV0"), std::string::npos) << shown;
    EXPECT_NE(shown.find("(secret)"), std::string::npos) << shown;
  }
}

TEST_F(RefusedText, HidesWhereTheConfigurationLooksForKeys) {
  identity.api_key.headers = {"x-other-plan", "x-plan"};
  identity.api_key.query = "plan";
  identity.jwt.emplace().header = "x-who";
  identity.jwt->query = "who";
  const auto& shown =
      head("GET /?plan=s3cret&who=s3cret&other=1 HTTP/1.1\r\nX-Plan: s3cret\r\nX-Who: s3cret\r\nX-Other: 2\r\n\r\n");
  EXPECT_EQ(shown,
            "GET /?plan=(secret)&who=(secret)&other=1 HTTP/1.1\r\nX-Plan: (secret)\r\nX-Who: (secret)\r\nX-Other: "
            "2\r\n\r\n");
}

TEST_F(RefusedText, HidesCredentialsOfATarget) {
  EXPECT_EQ(head("GET http://me:s3cret@a.example/x?access_token=s3cret&a=1#k=1 HTTP/1.1\r\n\r\n"),
            "GET http://(secret)@a.example/x?access_token=(secret)&a=1#k=1 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head("GET /?api%5fkey=s3cret HTTP/1.1\r\n\r\n"), "GET /?api%5fkey=(secret) HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head("GET /?token=s3cret s3cret HTTP/1.1\r\n\r\n").find("s3cret"), std::string::npos) << out.head;
}

TEST_F(RefusedText, HidesAFirstWordThatIsNoMethod) {
  EXPECT_EQ(head("client_secret=s3cretGET /a HTTP/1.1\r\n\r\n"), "(secret) /a HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head("/x?token=s3cret HTTP/1.1\r\n\r\n"), "/x?token=(secret) HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head("GET\t/x?token=s3cret HTTP/1.1\r\n\r\n"), "GET\t/x?token=(secret) HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head("GET /x HTTP/1.1&token=s3cret\r\n\r\n"), "GET /x HTTP/1.1(secret)\r\n\r\n");
  EXPECT_EQ(head("\x16\x03s3cret\r\n\r\n"), "\x16\x03(secret)\r\n\r\n");
  EXPECT_EQ(head(std::string(33, 'a') + " /\r\n\r\n"), "(secret) /\r\n\r\n");
  EXPECT_EQ(head("\r\nGET /x?token=s3cret HTTP/1.1\r\n\r\n").find("s3cret"), std::string::npos) << out.head;
}

TEST_F(RefusedText, HidesLinesThatAreNoField) {
  const auto shown = [&](const std::string& line) {
    const auto& text = head("GET / HTTP/1.1\r\n" + line + "\r\n\r\n");
    return text.substr(16, text.size() - 20);
  };
  EXPECT_EQ(shown("Authorization: Basic bWU6c2\r\nVjcmV0"), "Authorization: (secret)\r\n(secret)");
  EXPECT_EQ(shown("s3cret token"), "(secret)");
  EXPECT_EQ(shown("Authorization s3cret"), "Authorization(secret)");
  EXPECT_EQ(shown("{\"a\":\"s3cret\"}"), "(secret)");
  EXPECT_EQ(shown("a=s3cret&b:c"), "(secret)");
  EXPECT_EQ(shown("Authorization Bearer s3cret: x"), "Authorization(secret)");
  EXPECT_EQ(shown(": s3cret"), "(secret)");
  EXPECT_EQ(shown("Bad Name: x"), "Bad Name: x");
}

TEST_F(RefusedText, HidesTheUserOfEveryAddress) {
  for (const std::string line :
       {"Host: me:s3cret@a.example", "Host: s3cret@a.example", "Referer: http://a/?u=http://me:s3cret@h/",
        "Referer: http://a/?u=http%3A%2F%2Fme:s3cret@h", "Referer: http://a/http://me:s3cret@h/",
        "Referer: //me:s3cret@h/", "Link: <https://me:s3cret@h/>", "X: me:s3cret@h",
        "Referer: http://me:p?s3cret@h/"}) {
    const auto& shown = head("GET / HTTP/1.1\r\n" + line + "\r\n\r\n");
    EXPECT_EQ(shown.find("s3cret"), std::string::npos) << shown;
    EXPECT_NE(shown.find("(secret)"), std::string::npos) << shown;
  }
  EXPECT_EQ(head("CONNECT me:s3cret@a:443 HTTP/1.1\r\n\r\n"), "CONNECT (secret)@a:443 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head("GET /users/me@a.example HTTP/1.1\r\n\r\n"), "GET /users/me@a.example HTTP/1.1\r\n\r\n");
  // The '@' stands far behind the fault.
  EXPECT_EQ(at("GET / HTTP/1.1\r\nHost: s3cret", "\x01" + std::string(100, 'a') + "@h\r\n\r\n"), "Host: (secret)[]");
}

TEST_F(RefusedText, HidesParametersWithinParameters) {
  for (const std::string target :
       {"/?x=1?token=s3cret", "/?next=/cb?token=s3cret", "/?next=%2Fcb%3Ftoken%3Ds3cret", "/?a=token=s3cret",
        "/#access_token=s3cret", "/a;token=s3cret", "/a&token=s3cret", "/?a=1& token=s3cret", "/?a=1& sid=s3cret"}) {
    const auto& shown = head("GET " + target + " HTTP/1.1\r\n\r\n");
    EXPECT_EQ(shown.find("s3cret"), std::string::npos) << shown;
  }
  EXPECT_EQ(head("GET /?next=/cb?a=1&b=2 HTTP/1.1\r\n\r\n"), "GET /?next=/cb?a=1&b=2 HTTP/1.1\r\n\r\n");
}

/// The processor time of a head, the least of some.
std::chrono::nanoseconds time_of(const std::string& bytes, std::size_t fault) {
  const auto time = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  auto least = std::chrono::nanoseconds::max();
  const identity::IdentityOptions identity;
  for (int i = 0; i < 7; ++i) {
    RefusedRequest out;
    const auto begin = time();
    show_refused_head(bytes, fault, identity, out);
    least = std::min(least, time() - begin);
  }
  return least;
}

TEST_F(RefusedText, CostsNoMoreThanItsBytesWhateverTheyAre) {
  const auto of = [](const std::string& unit, std::size_t size) {
    std::string text = "GET /";
    while (text.size() < size) text += unit;
    return text;
  };
  constexpr std::size_t kSmall = 6 << 10;
  constexpr std::size_t kLarge = 60 << 10;
  constexpr int kTenfold = 10;
  for (const std::string unit : {"?", "&", "&=", "/", "://", ":", "/x:y", ";a=b", "%3d=", " "}) {
    const auto few = of(unit, kSmall);
    const auto many = of(unit, kLarge);
    const auto small = time_of(few, few.size());
    EXPECT_LT(time_of(many, many.size()), 3 * kTenfold * small) << unit;
  }
  std::string lines = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 250; ++i) lines += "a:\r\n";
  constexpr std::size_t kLine = 3000;  // the last line is no part of the others
  EXPECT_LT(time_of(lines + std::string(kLine, ':'), 0), 3 * time_of(lines + std::string(kLine, 'b'), 0));
}

TEST_F(RefusedText, PointsAtTheByteAlsoBehindASecret) {
  EXPECT_EQ(at("GET /a HTTP/1.1\r\nHost: a", "\nX: y\r\n\r\n"), "Host: a[\n]X: y\r\n\r\n");
  EXPECT_EQ(at("GET /?token=s3cret&a=", "<b HTTP/1.1\r\n\r\n"), "GET /?token=(secret)&a=[<]b HTTP/1.1\r\n\r\n");
  EXPECT_EQ(out.byte, 21U);
}

TEST_F(RefusedText, PointsIntoASecretWithoutShowingIt) {
  EXPECT_EQ(at("GET / HTTP/1.1\r\nAuthorization: Bearer s3c", "\x01ret\r\n\r\n"), "Authorization: (secret)[]");
}

TEST_F(RefusedText, PointsAtTheEndOfWhatCame) {
  EXPECT_EQ(at("GET / HTTP/1.1\r\nHost: a", ""), "Host: a[]");
  EXPECT_EQ(at("", ""), "[]");
}

TEST_F(RefusedText, IsBounded) {
  const auto& shown = head("GET /" + std::string(60'000, 'a'));
  EXPECT_EQ(shown.size(), RefusedRequests::kHead);
  EXPECT_TRUE(out.cut);
  at("GET /" + std::string(8'000, 'a'), std::string(60'000, 'b'));
  EXPECT_LT(out.before.size() + out.wrong.size() + out.after.size(), 100U);
  EXPECT_EQ(out.wrong, "b");
}

TEST_F(RefusedText, TakesAnyBytes) {
  std::string bytes = "GET http://a@b/?k=\x01&l HTTP/1.1\r\n: x\r\n\n\r\r\nA\r\n: \r\nCookie\r\n\r\nx";
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    for (std::size_t place = 0; place <= size; ++place) {
      show_refused_head(std::string_view(bytes).substr(0, size), place, identity, out);
      EXPECT_LE(out.wrong.size(), 4U);
    }
  }
}

}  // namespace
}  // namespace headgate::gateway
