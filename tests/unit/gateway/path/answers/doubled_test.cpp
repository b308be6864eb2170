// Requests that name who is counted twice: cookies and fields.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathDoubled : public Path {
 protected:
  void ask(const std::string& fields) {
    if (!gateway)
      check("GET /a", fields);
    else
      ask_again("GET /a", fields);
  }
  void counts(std::string_view per) {
    auto& limit = limit_by(per, "few", "1/hour");
    limit.if_absent.last = limit::IfAbsent::Last::skip;
  }
};

TEST_F(PathDoubled, ACookieWithOneValueCountsOnceHoweverOftenItAppears) {
  counts("cookie:sid");
  ask("Cookie: sid=a\r\n");
  EXPECT_EQ(client.status, 200U);
  for (const std::string fields : {"Cookie: sid=a; sid=a\r\n", "Cookie: sid=a\r\nCookie: x=1; sid=a\r\n"}) {
    ask(fields);
    EXPECT_EQ(client.status, 429U) << fields;
  }
}

TEST_F(PathDoubled, ACookieWithTwoValuesIsRefusedByItsName) {
  counts("cookie:sid");
  for (const std::string fields :
       {"Cookie: sid=a; sid=b\r\n", "Cookie: sid=; sid=a\r\n", "Cookie: sid=a\r\nCookie: sid=\r\n",
        "Cookie: x=1 sid=a\r\n", "Cookie: sid=a; x=1,sid=b\r\n", "Cookie: sid=a b\r\n"}) {
    ask(fields);
    EXPECT_EQ(client.status, 400U) << fields;
    EXPECT_THAT(client.body, HasSubstr("\\\"sid\\\"")) << fields;
  }
  ask("Cookie: sid=; other=a; other=b\r\n");
  EXPECT_EQ(client.status, 200U) << "an empty one is none, and nobody asks for the other";
}

TEST_F(PathDoubled, CookiesOfKeysTokensRoomsAndSplitsAreReadTheSameWay) {
  identity.api_key.cookie = "key";
  believe_tokens();
  identity.jwt->cookie = "token";
  counts("api_key");
  limit_by("jwt.sub", "claims", "100/hour").if_absent.last = limit::IfAbsent::Last::skip;
  auto& room = options.rooms.emplace_back();
  room.rule = {.name = "sale", .count = 100, .period = seconds(1), .grace = seconds(60), .stay = seconds(600)};
  room.secrets = {"0123456789abcdef0123456789abcdef"};
  route.waiting_room = "sale";
  for (const std::string name : {"key", "token", "room-sale", "__Host-room-sale"}) {
    ask("Cookie: " + name + "=a; " + name + "=b\r\n");
    EXPECT_EQ(client.status, 400U) << name;
    EXPECT_THAT(client.body, HasSubstr(name));
  }
}

TEST_F(PathDoubled, AFieldThatChoosesTheQueueLineIsRefused) {
  shed::ConcurrencyOptions concurrency{.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1}};
  concurrency.queue = shed::QueueOptions{.length = 10, .wait = std::chrono::milliseconds(500)};
  bound(concurrency);
  upstream().queue_per = {headgate::test::make_per("header:x-tenant")};
  app->counted.emplace(concurrency);
  ask("X-Tenant: a\r\nX-Tenant: b\r\n");
  EXPECT_EQ(client.status, 400U);
  ask("X-Tenant: a\r\nX.Tenant: b\r\n");
  EXPECT_EQ(client.status, 400U);
  ask("X-Tenant: a\r\n");
  EXPECT_EQ(client.status, 200U);
}

}  // namespace
}  // namespace headgate::gateway::test
