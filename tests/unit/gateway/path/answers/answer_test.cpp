// Every kind of answer that a client gets, each with everything that may be said twice: by the server, by the route,
// and by the gateway.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/edit_options.hpp"

namespace headgate::gateway::test {
namespace {

using http::Known;

const std::string kPage = "Accept: text/html,*/*;q=0.8\r\n";
const std::string kOrigin = "Origin: https://app.example.com\r\n";

class Answers : public Path {
 protected:
  Answers() {
    options.hsts = "max-age=1";
    edits->always = true;
    for (const auto how : {FieldEdit::How::set, FieldEdit::How::add})
      edits->response_fields.push_back({how, "Strict-Transport-Security", literal("max-age=2")});
    for (const char* name :
         {"Cache-Control", "Vary", "X-Frame-Options", "Access-Control-Allow-Origin", "Location", "Retry-After",
          "Refresh", "Content-Security-Policy", "Waiting-Room-Ticket", "Allow", "Appointment", "WWW-Authenticate"})
      edits->response_fields.push_back({FieldEdit::How::set, name, literal("route")});
    edits->respond_fields = {{FieldEdit::How::set, "Strict-Transport-Security", literal("max-age=3")},
                             {FieldEdit::How::set, "Vary", literal("Accept-Language")}};
    route.edits = edits;
    auto rules = std::make_shared<Cors>();
    rules->origins = {"https://app.example.com"};
    rules->expose = kAlwaysExposed;
    rules->max_age = "600";
    route.cors = options.all_routes.cors = rules;
    in_memory("few", "2/hour");
    for (const auto& [id, name] : std::initializer_list<std::pair<Known, std::string_view>>{
             {Known::date, "Date"},
             {Known::via, "Via"},
             {Known::strict_transport_security, "Strict-Transport-Security"},
             {Known::cache_control, "Cache-Control"},
             {Known::vary, "Vary"},
             {Known::access_control_allow_origin, "Access-Control-Allow-Origin"},
             {Known::access_control_expose_headers, "Access-Control-Expose-Headers"},
             {Known::unknown, "X-Request-Id"},
             {Known::unknown, "RateLimit"},
             {Known::unknown, "X-RateLimit-Limit"},
             {Known::unknown, "Waiting-Room-Ticket"},
             {Known::content_length, "Content-Length"},
             {Known::content_type, "Content-Type"}})
      server.fields.push_back({id, name, "server"});
  }
  static TextTemplate literal(std::string text) { return {{TextPart::Kind::literal, std::move(text)}}; }
  void let_in_one_an_hour() {
    auto& room = options.rooms.emplace_back();
    room.rule = {
        .name = "sale", .count = 1, .period = seconds(3600), .burst = 1, .grace = seconds(60), .stay = seconds(600)};
    room.secrets = {"0123456789abcdef0123456789abcdef"};
    route.waiting_room = "sale";
  }
  /// Asks over TLS, from a page of another origin.
  void ask(const std::string& start_line, const std::string& fields = {}) {
    client.forget();
    if (gateway) x.reset();
    x.client_tls = true;
    check(start_line, kOrigin + fields);
    ASSERT_TRUE(done);
  }
  void expect_no_name_twice() const {
    for (const auto& name : client.names) EXPECT_TRUE(client.names.count(name) == 1 || name == "set-cookie") << name;
  }
  void expect_each_once(unsigned status, const std::string& of_route = "route") {
    EXPECT_EQ(client.status, status);
    expect_no_name_twice();
    EXPECT_EQ(client.fields["Strict-Transport-Security"], "max-age=1");
    EXPECT_EQ(client.names.count("date"), 1U);
    EXPECT_EQ(client.fields["X-Request-Id"], std::string(x.request_id));
    EXPECT_EQ(client.fields["Access-Control-Allow-Origin"], "https://app.example.com");
    EXPECT_TRUE(http::lists(client.fields["Vary"], "Origin")) << client.fields["Vary"];
    EXPECT_EQ(client.fields["X-Frame-Options"], of_route);
  }

  std::shared_ptr<EditOptions> edits = std::make_shared<EditOptions>();
};

TEST_F(Answers, OfAServerHaveEachFieldOnce) {
  ask("GET /a");
  expect_each_once(200);
  EXPECT_EQ(client.fields["Date"], "server") << "its own";
  EXPECT_EQ(client.fields["Via"], "server, 1.1 headgate");
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "2");
  ask("HEAD /a");
  expect_each_once(200);
  EXPECT_EQ(client.names.count("content-length"), 1U);
}

TEST_F(Answers, OfAServerThatChangedNothingHaveEachFieldOnce) {
  server.status = 304;
  ask("GET /a");
  expect_each_once(304);
}

TEST_F(Answers, ThatLetAVisitorInHaveEachFieldOnce) {
  let_in_one_an_hour();
  ask("GET /a");
  expect_each_once(200);
  EXPECT_NE(client.fields["Waiting-Room-Ticket"], "server");
  EXPECT_EQ(client.fields["Cache-Control"], "route, private");
}

TEST_F(Answers, ThatSetACookieForAVisitorAreForNoSharedCache) {
  let_in_one_an_hour();
  ask("GET /a", kPage);
  expect_each_once(200);
  EXPECT_EQ(client.names.count("set-cookie"), 1U);
  EXPECT_EQ(client.fields["Cache-Control"], "route, private");
}

TEST_F(Answers, OfAWaitingRoomHaveEachFieldOnce) {
  let_in_one_an_hour();
  ask("GET /a");
  ask("GET /a");
  expect_each_once(429);
  EXPECT_EQ(x.ended_by, EndedBy::waiting_room);
  EXPECT_EQ(client.fields["Cache-Control"], "no-store");
  ask("GET /a");
  EXPECT_EQ(x.ended_by, EndedBy::limit);
}

TEST_F(Answers, ThatAreThePageOfAWaitingRoomHaveEachFieldOnce) {
  let_in_one_an_hour();
  ask("GET /a", kPage);
  ask("GET /a", kPage);
  expect_each_once(429);
  EXPECT_EQ(client.fields["Content-Type"], "text/html; charset=utf-8");
  EXPECT_NE(client.fields["Refresh"], "route");
}

TEST_F(Answers, ThatAreFixedHaveEachFieldOnce) {
  route.respond = Respond{.status = 200, .body = "hello", .content_type = "text/plain"};
  ask("GET /a");
  expect_each_once(200);
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "2");
}

TEST_F(Answers, ThatRedirectHaveEachFieldOnce) {
  edits->redirect = RouteRedirect{.to = "/b", .status = 308};
  route.respond = Respond{.status = 308, .body = {}, .content_type = {}};
  ask("GET /a");
  expect_each_once(308);
}

TEST_F(Answers, ThatRejectHaveEachFieldOnceInEveryForm) {
  ask("GET /a");
  ask("GET /a");
  for (const auto& [accept, type] : std::initializer_list<std::pair<std::string, std::string>>{
           {"", "application/problem+json"},
           {kPage, "text/html; charset=utf-8"},
           {"Accept: text/plain\r\n", "text/plain; charset=utf-8"}}) {
    ask("GET /a", accept);
    expect_each_once(429);
    EXPECT_EQ(client.fields["Content-Type"], type);
    EXPECT_EQ(client.fields["Cache-Control"], "no-store");
    EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "0");
  }
}

TEST_F(Answers, ThatRefuseHaveEachFieldOnce) {
  server.unreachable = Failure{.what = Failed::no_connection};
  ask("GET /a");
  expect_each_once(502);
}

TEST_F(Answers, ThatDemandACredentialHaveEachFieldOnce) {
  believe_tokens();
  route.require = Require::jwt;
  ask("GET /a");
  expect_each_once(401);
  EXPECT_NE(client.fields["WWW-Authenticate"], "route");
}

TEST_F(Answers, OfTheLastHopHaveEachFieldOnce) {
  route.methods = {"GET", "TRACE", "OPTIONS"};
  ask("TRACE /a", "Max-Forwards: 0\r\n");
  expect_each_once(200);
  ask("OPTIONS /a", "Max-Forwards: 0\r\n");
  expect_each_once(204);
}

TEST_F(Answers, ToABrowserThatAsksBeforeHaveEachFieldOnce) {
  edits->response_fields.push_back({FieldEdit::How::set, "Access-Control-Allow-Credentials", literal("true")});
  ask("OPTIONS /a", "Access-Control-Request-Method: PUT\r\n");
  expect_each_once(204, "");  // fields of the route could allow a page what its rules do not
  EXPECT_EQ(client.names.count("access-control-allow-credentials"), 0U);
  EXPECT_EQ(client.names.count("access-control-max-age"), 1U);
}

TEST_F(Answers, ThatSendToHttpsHaveEachFieldOnce) {
  route.https_port = 443;
  check("GET /a", kOrigin);
  EXPECT_EQ(client.status, 301U);
  expect_no_name_twice();
  EXPECT_EQ(client.names.count("strict-transport-security"), 0U) << "not without TLS (RFC 6797 section 7.2)";
  EXPECT_NE(client.fields["Location"], "route");
}

TEST_F(Answers, ThatTellWhatIsLeftHaveEachFieldOnce) {
  options.usage = "/usage";
  ask("GET /usage");
  EXPECT_EQ(client.status, 200U);
  expect_no_name_twice();
  EXPECT_EQ(client.fields["Strict-Transport-Security"], "max-age=1");
  EXPECT_EQ(client.fields["Cache-Control"], "no-store");
}

TEST_F(Answers, OfAServerAndItsRouteTellBrowsersOfTlsOnceWithoutHsts) {
  options.hsts.clear();
  edits->response_fields = {{FieldEdit::How::add, "Strict-Transport-Security", literal("max-age=2")}};
  ask("GET /a");
  EXPECT_EQ(client.names.count("strict-transport-security"), 1U);
  EXPECT_EQ(client.fields["Strict-Transport-Security"], "max-age=2");
}

TEST_F(Answers, ThatAreInterimSayOnlyWhoseTheyAre) {
  server.interims = {103};
  ask("GET /a");
  EXPECT_THAT(client.interims, testing::ElementsAre(103U));
  expect_each_once(200);
}

}  // namespace
}  // namespace headgate::gateway::test
