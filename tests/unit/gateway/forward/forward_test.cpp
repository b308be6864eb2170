#include "forward.hpp"

namespace headgate::gateway {
namespace {

using http::Known;
using test::Forward;

TEST_F(Forward, SendsForwardingHeadersToTheServer) {
  check("Accept", "*/*");
  forward_request();
  EXPECT_EQ(sent("Host"), "[a.example]");
  EXPECT_EQ(sent("Accept"), "[*/*]");
  EXPECT_EQ(sent("X-Forwarded-For"), "[192.0.2.1]");
  EXPECT_EQ(sent("X-Forwarded-Proto"), "[http]");
  EXPECT_EQ(sent("X-Forwarded-Host"), "[a.example]");
  EXPECT_EQ(sent("X-Request-Id"), "[id-1]");
  EXPECT_EQ(sent("Via"), "[1.1 headgate]");
}

TEST_F(Forward, IgnoresForwardingHeadersOfUntrustedPeers) {
  check("X-Forwarded-For", "10.0.0.1");
  check("x-forwarded-for", "10.0.0.2");
  check("X-FORWARDED-PROTO", "https");
  check("X-Forwarded-Host", "admin.example");
  check("Forwarded", "for=10.0.0.1");
  check("X-Request-Id", "bad id");
  forward_request();
  EXPECT_EQ(sent("X-Forwarded-For"), "[192.0.2.1]");
  EXPECT_EQ(sent("X-Forwarded-Proto"), "[http]");
  EXPECT_EQ(sent("X-Forwarded-Host"), "[a.example]");
  EXPECT_EQ(sent("Forwarded"), "");
  EXPECT_EQ(sent("X-Request-Id"), "[id-1]");
}

TEST_F(Forward, RebuildsTheChainFromTrustedHops) {
  x.caller.through_trusted = true;
  x.caller.hops = 3;
  x.caller.address = boost::asio::ip::make_address("203.0.113.9");
  check("X-Forwarded-For", "forged, 203.0.113.9:4711");
  check("X-Forwarded-For", "10.0.0.2, [2001:DB8::1]");
  check("X-Forwarded-Proto", "https");
  check("X-Forwarded-Host", "shop.example");
  check("X-Real-IP", "10.0.0.1");
  check("X_Forwarded_For", "10.0.0.1");
  forward_request();
  EXPECT_EQ(sent("X-Forwarded-For"), "[203.0.113.9, 10.0.0.2, 2001:db8::1, 192.0.2.1]");
  EXPECT_EQ(sent("X-Forwarded-Proto"), "[https]");
  EXPECT_EQ(sent("X-Forwarded-Host"), "[shop.example]");
  EXPECT_EQ(sent("X-Real-IP"), "");
  EXPECT_EQ(sent("X_Forwarded_For"), "") << "the same field to servers that read fields as variables";
}

/// Each hop may append its scheme. What is further to the left than the hops that are believed, a client may have
/// written.
TEST_F(Forward, TellsTheSchemeOfTheHopThatMetTheClient) {
  const auto told = [this](unsigned hops, const char* schemes) {
    x.request.fields.clear();
    x.caller.through_trusted = true;
    x.caller.hops = hops;
    check("X-Forwarded-Proto", schemes);
    forward_request();
    return sent("X-Forwarded-Proto");
  };
  EXPECT_EQ(told(2, "https, http"), "[https]");
  EXPECT_EQ(told(2, "http,https ,http"), "[https]");
  EXPECT_EQ(told(1, "https, http"), "[http]") << "the first one is the client's own word";
  EXPECT_EQ(told(3, "https"), "[https]") << "hops that replace the field";
  EXPECT_EQ(told(1, "https,"), "[http]") << "no scheme: that of this connection";
}

TEST_F(Forward, WritesTheFieldThatTheHopsUse) {
  identity::IdentityOptions identity;
  identity.address_field = identity::AddressField::forwarded;
  x.caller.through_trusted = true;
  x.caller.hops = 1;
  x.caller.address = boost::asio::ip::make_address("2001:db8::9");
  check("Forwarded", R"(for=forged, for="[2001:db8::9]:47011";proto=gopher)");
  forward_request(identity);
  EXPECT_EQ(sent("Forwarded"), R"([for="[2001:db8::9]", for=192.0.2.1;host="a.example";proto=http])");
  EXPECT_EQ(sent("X-Forwarded-For"), "[2001:db8::9, 192.0.2.1]");
  identity.address_field = identity::AddressField::x_real_ip;
  forward_request(identity);
  EXPECT_EQ(sent("Forwarded"), "");
  EXPECT_EQ(sent("X-Real-IP"), "[2001:db8::9]");
}

TEST_F(Forward, ReadsProtoAndHostOnlyFromTheFieldThatTheHopsUse) {
  identity::IdentityOptions identity;
  identity.address_field = identity::AddressField::forwarded;
  x.caller.through_trusted = true;
  x.caller.hops = 1;
  x.caller.address = boost::asio::ip::make_address("203.0.113.9");
  check("X-Forwarded-Proto", "https");
  check("X-Forwarded-Host", "evil.example");
  check("Forwarded", R"(for=forged;proto=http;host=evil, for=203.0.113.9;Proto=https;host="shop.example:81")");
  forward_request(identity);
  EXPECT_EQ(sent("X-Forwarded-Proto"), "[https]");
  EXPECT_EQ(sent("X-Forwarded-Host"), "[shop.example:81]");
  EXPECT_EQ(sent("Forwarded"), R"([for=203.0.113.9, for=192.0.2.1;host="shop.example:81";proto=https])");
}

TEST_F(Forward, DropsIdentityFieldsFromTrailers) {
  identity::IdentityOptions identity;
  identity.api_key.written = true;
  identity.jwt.emplace().claim_headers = {{"X-User", "sub"}};
  http::Fields trailers;
  for (const char* name : {"X-User", "x_user", "X-API-Key", "X_API_Key", "Authorization", "Cookie", "X-Forwarded-For",
                           "X-Original-URL", "X_Forwarded_Port", "Proxy", "X-Sum"})
    trailers.push_back(field(name, "root"));
  const auto passed = forward_trailers(trailers, compiled(identity), {});
  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].name, "X-Sum");
}

TEST_F(Forward, DropsFieldsOfKeyOwnersFromTrailers) {
  identity::IdentityOptions identity;
  identity.api_key.caller_headers = {{"X-Plan", identity::KeyPart::tier}};
  http::Fields trailers;
  for (const char* name : {"X-Plan", "x_plan", "X-Consumer", "X-Sum"}) trailers.push_back(field(name, "root"));
  const auto passed = forward_trailers(trailers, compiled(identity), {});
  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].name, "X-Sum");
}

TEST_F(Forward, DropsProxyFieldsOfUntrustedPeers) {
  const std::vector<std::string> names = {
      "X-Original-URL",     "x_original_url", "X-Rewrite-URL",  "X-Forwarded-Port", "X_FORWARDED_PORT",
      "X-Forwarded-Prefix", "True-Client-IP", "True_Client_IP", "CF-Connecting-IP", "pRoXy",
      "SCRIPT_NAME"};
  for (const auto& name : names) check(name, "theirs");
  check("X-Stays", "1");
  forward_request();
  for (const auto& name : names) EXPECT_EQ(sent(name), "") << name;
  EXPECT_EQ(sent("X-Stays"), "[1]");
  x.caller.through_trusted = true;
  forward_request();
  for (const auto& name : names) EXPECT_EQ(sent(name), "[theirs]") << name << ", by a trusted hop";
}

TEST_F(Forward, DropsTheConfiguredProxyFields) {
  options.proxy_fields = {"X-Edge-*"};
  check("X-Edge-City", "Wien");
  check("True-Client-IP", "10.0.0.1");
  forward_request();
  EXPECT_EQ(sent("X-Edge-City"), "");
  EXPECT_EQ(sent("True-Client-IP"), "[10.0.0.1]");
}

TEST_F(Forward, DropsOtherSpellingsOfHopByHopFields) {
  for (const std::string_view name : {"Transfer_Encoding", "content_length", "Keep_Alive", "PROXY_AUTHORIZATION"}) {
    check(name, "chunked");
    forward_request();
    EXPECT_EQ(sent(name), "") << name;
  }
}

TEST_F(Forward, DropsOtherSpellingsOfFieldsThatWereRead) {
  identity::IdentityOptions identity;
  identity.api_key.written = identity.api_key.pass_on = true;
  identity.jwt.emplace().header = "x-token";
  Route route;
  route.counted_headers = {"x-tenant"};
  x.route = &route;
  for (const std::string_view name : {"X_API_Key", "X_Token", "X_Tenant"}) check(name, "unread");
  for (const std::string_view name : {"X-API-Key", "X-Token", "X-Tenant"}) check(name, "read");
  forward_request(identity);
  for (const std::string_view name : {"X_API_Key", "X_Token", "X_Tenant"}) EXPECT_EQ(sent(name), "") << name;
  for (const std::string_view name : {"X-API-Key", "X-Token", "X-Tenant"}) EXPECT_EQ(sent(name), "[read]") << name;
}

TEST_F(Forward, SendsTheUpstreamsNameAsHostIfTheClientSentNone) {
  x.request.fields.clear();
  x.request.authority = {};
  x.upstream = "app";
  options.proxy_fields.clear();
  identity::IdentityOptions identity;
  identity.address_field = identity::AddressField::forwarded;
  forward_request(identity);
  EXPECT_EQ(sent("Host"), "[app]");
  EXPECT_EQ(sent("X-Forwarded-Host"), "");
  EXPECT_EQ(sent("Forwarded"), "[for=192.0.2.1;proto=http]");
}

TEST_F(Forward, AddsNoViaIfViaIsOff) {
  options.via.clear();
  forward_request();
  EXPECT_EQ(sent("Via"), "");
  check("Via", "1.0 first");
  forward_request();
  EXPECT_EQ(sent("Via"), "[1.0 first]") << "others speak for themselves";
  answer("Via", "1.1 inner");
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Via"), "[1.1 inner]");
}

TEST_F(Forward, NamesTheGatewayAndTheVersionInVia) {
  options.via = "edge-1";
  x.request.version = 10;
  forward_request();
  EXPECT_EQ(sent("Via"), "[1.0 edge-1]");
}

TEST_F(Forward, DecreasesMaxForwards) {
  check("Max-Forwards", "5");
  forward_request();
  EXPECT_EQ(sent("Max-Forwards"), "[5]") << "it means nothing to GET";
  x.request.method = "OPTIONS";
  forward_request();
  EXPECT_EQ(sent("Max-Forwards"), "[4]");
  x.request.fields.back().value = "99999999999999999999999999";
  forward_request();
  EXPECT_EQ(sent("Max-Forwards"), "[18446744073709551614]") << "as much as we can count to";
}

TEST_F(Forward, JoinsVia) {
  check("Via", "1.0 first");
  check("via", "1.1 second");
  forward_request();
  EXPECT_EQ(sent("Via"), "[1.0 first, 1.1 second, 1.1 headgate]");
}

TEST_F(Forward, ReplacesHostByTheHostOfAnAbsoluteTarget) {
  x.request.authority = "b.example:81";
  forward_request();
  EXPECT_EQ(sent("Host"), "[b.example:81]");
  EXPECT_EQ(sent("X-Forwarded-Host"), "[b.example:81]");
}

TEST_F(Forward, DropsHopByHopFieldsAndExpect) {
  check("Connection", "keep-alive, X-Mine");
  check("X-Mine", "1");
  check("TE", "trailers");
  check("Transfer-Encoding", "chunked");
  check("Content-Length", "4");
  check("Expect", "100-continue");
  check("Upgrade", "h2c");
  forward_request();
  for (const std::string_view name :
       {"Connection", "X-Mine", "TE", "Transfer-Encoding", "Content-Length", "Expect", "Upgrade"})
    EXPECT_EQ(sent(name), "") << name;
}

TEST_F(Forward, KeepsOurFieldsThatConnectionNames) {
  check("Connection", "X-Forwarded-For, X-Request-Id, Via, Host");
  forward_request();
  EXPECT_EQ(sent("X-Forwarded-For"), "[192.0.2.1]");
  EXPECT_EQ(sent("X-Request-Id"), "[id-1]");
  EXPECT_EQ(sent("Via"), "[1.1 headgate]");
  EXPECT_EQ(sent("Host"), "[a.example]");
}

TEST_F(Forward, ForwardsAnUpgradeThatIsAllowed) {
  check("Connection", "Upgrade");
  check("Upgrade", "websocket");
  x.request.upgrade = "websocket";
  forward_request();
  EXPECT_EQ(sent("Connection"), "[Upgrade]");
  EXPECT_EQ(sent("Upgrade"), "[websocket]");
}

TEST_F(Forward, KeepsTheHandshakeOfAWebSocketAskedForByConnectToItself) {
  x.request.upgrade = "websocket";
  x.request.tunnel_by = http::TunnelBy::connect;
  x.answer.status = 101;
  answer("Upgrade", "websocket");
  answer("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  answer("Sec-WebSocket-Protocol", "chat");
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Upgrade") + sent("Sec-WebSocket-Accept"), "");
  EXPECT_EQ(sent("Sec-WebSocket-Protocol"), "[chat]");
  x.request.tunnel_by = http::TunnelBy::upgrade;
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Upgrade"), "[websocket]");
  EXPECT_EQ(sent("Sec-WebSocket-Accept"), "[s3pPLMBiTxaQ9kYGzzhZRbK+xOo=]");
}

TEST_F(Forward, DropsFromTrailersWhatAHeadMayNotHave) {
  const http::Fields trailers = {field("X-Sum", "1"),         field("X-Forwarded-For", "10.0.0.1"),
                                 field("Forwarded", "for=1"), field("Via", "x"),
                                 field("X-Request-Id", "x"),  field("RateLimit", "x"),
                                 field("Keep-Alive", "x"),    field("ETag", "2")};
  const auto passed = forward_trailers(trailers, compiled(), {});
  ASSERT_EQ(passed.size(), 2U);
  EXPECT_EQ(passed[0].name, "X-Sum");
  EXPECT_EQ(passed[1].name, "ETag");
}

}  // namespace
}  // namespace headgate::gateway
