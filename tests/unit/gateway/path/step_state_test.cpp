// The state that steps keep of an exchange: the next caller finds none of it.

#include "unit/gateway/path/path.hpp"

#include "headgate/net/tls/secured.hpp"

namespace headgate::gateway::test {
namespace {

class PathStepState : public Path {
 protected:
  const StepState& state() const { return x; }
};

TEST_F(PathStepState, OfOneCallerIsNotLeftForTheNext) {
  shed::ConcurrencyOptions one;
  one.in_flight = 1;
  one.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1};
  bound(one);
  app->counted.emplace(one);
  route.held_body = 3;
  in_flight("flights", 4);
  check("POST /a", "Content-Length: 3\r\n", {{"one", Duration(0), {}}});
  ASSERT_TRUE(done);
  EXPECT_TRUE(x.used);
  EXPECT_EQ(x.capacity.state, CapacityPart::State::taken);
  x.reset();
  EXPECT_EQ(state(), StepState());
}

TEST_F(PathStepState, IsNotLeftByARequestThatIsRefusedWhereItsRouteIsFound) {
  route.held_body = 3;
  check("GET /a%2Fb");
  EXPECT_EQ(client.status, 400U);
  EXPECT_TRUE(x.used) << "its steps are left, and one of them may keep something then";
  x.reset();
  EXPECT_EQ(state(), StepState());
}

TEST_F(PathStepState, CostsNothingIfNoStepKeepsAny) {
  in_memory("things", "10/hour");
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_FALSE(x.used);
}

TEST(Exchange, HasACopyOfWhatTheSessionKnowsOfAnother) {
  const net::Secured secured;
  Exchange x;
  x.peer = boost::asio::ip::make_address("192.0.2.7");
  x.peer_text = "192.0.2.7";
  x.secured = &secured;
  x.https_port = 8443;
  x.client_tls = x.client_certificate = x.source_untold = x.trusts_names = true;
  const auto parsed = http::h1::parse_request("GET /a?b HTTP/1.1\r\nHost: a.example\r\n\r\n", {100, 8192}, x.request);
  ASSERT_TRUE(parsed.has_value());
  Exchange y;
  y.copy_request(x);
  EXPECT_EQ(y.peer, x.peer);
  EXPECT_EQ(static_cast<const Incoming&>(y), static_cast<const Incoming&>(x));
  EXPECT_EQ(y.request.path, "/a");
  EXPECT_EQ(y.request.host, "a.example");
  EXPECT_TRUE(y.request.fields.empty()) << "fields are views that may be changed: who needs them copies or lends them";
  x.reset();
  EXPECT_EQ(static_cast<const Incoming&>(x), Incoming());
}

}  // namespace
}  // namespace headgate::gateway::test
