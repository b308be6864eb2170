// What a route changes in the messages that pass it, on the whole path.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/edit_options.hpp"

#include <boost/asio/ip/network_v4.hpp>

namespace headgate::gateway::test {
namespace {

using Kind = TextPart::Kind;

class PathEdits : public Path {
 protected:
  PathEdits() { route.path = "/api/{id}/*"; }
  static FieldEdit set(std::string name, TextTemplate value) {
    return {FieldEdit::How::set, std::move(name), std::move(value)};
  }
  static FieldEdit add(std::string name, TextTemplate value) {
    return {FieldEdit::How::add, std::move(name), std::move(value)};
  }
  static FieldEdit remove(std::string name) { return {FieldEdit::How::remove, std::move(name)}; }
  static TextTemplate literal(std::string text) { return {{Kind::literal, std::move(text)}}; }
  /// Begins the first request with the edits.
  void ask(std::string_view start_line, std::string_view fields = {}) {
    route.edits = std::make_shared<EditOptions>(edits);
    check(start_line, fields);
  }
  /// The field as the server got it, several joined by '|'; "-" if it got none.
  std::string got(std::string_view name) const {
    std::string out;
    std::string_view rest = app->report.head;
    while (!rest.empty()) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() + 1);
      const auto colon = line.find(": ");
      if (same_word(line.substr(0, colon), name)) out += (out.empty() ? "" : "|") + std::string(line.substr(colon + 2));
    }
    return out.empty() ? "-" : out;
  }
  std::string answered(const std::string& name) const {
    const auto at = client.fields.find(name);
    return at == client.fields.end() ? "-" : at->second;
  }

  EditOptions edits;
};

TEST_F(PathEdits, TheServerSeesTheRewrittenPathAndTheLogTheClients) {
  edits.rewrite.strip_prefix = "/api";
  ask("GET /%61pi/7/things%20x?q=1");
  EXPECT_EQ(app->report.targets.front(), "GET /7/things%20x?q=1");
  EXPECT_EQ(got("X-Forwarded-Prefix"), "/api");
  EXPECT_EQ(x.request.path, "/api/7/things%20x") << "what the log and the limits have";
  ask_again("GET /api/8/y");
  EXPECT_EQ(app->report.targets.back(), "GET /8/y") << "nothing of the exchange before is left";
}

TEST_F(PathEdits, AClientCannotNameThePrefix) {
  edits.rewrite.strip_prefix = "/api";
  options.proxy_fields.clear();
  ask("GET /api/7/x", "X-Forwarded-Prefix: /evil\r\nX_Forwarded_Prefix: /evil\r\n");
  EXPECT_EQ(got("X-Forwarded-Prefix"), "/api");
  EXPECT_EQ(got("X_Forwarded_Prefix"), "-");
}

TEST_F(PathEdits, ATrustedProxysPrefixComesBeforeOurs) {
  edits.rewrite.strip_prefix = "/api";
  identity.trusted_proxies.emplace_back(boost::asio::ip::make_network_v4("192.0.2.7/32"));
  ask("GET /api/7/x", "X-Forwarded-Prefix: /outer\r\n");
  EXPECT_EQ(got("X-Forwarded-Prefix"), "/outer/api");
}

TEST_F(PathEdits, FieldsAreRemovedThenSetThenAddedInEverySpelling) {
  edits.request_fields = {remove("Cookie"), set("X-User", literal("me")), add("X-Tag", literal("edge"))};
  ask("GET /api/7/x", "Cookie: a=1\r\nX-User: evil\r\nx_user: evil\r\nX-Tag: mine\r\n");
  EXPECT_EQ(got("Cookie"), "-");
  EXPECT_EQ(got("X-User"), "me");
  EXPECT_EQ(got("x_user"), "-") << "a server in CGI style reads it as X-User";
  EXPECT_EQ(got("X-Tag"), "mine|edge");
}

TEST_F(PathEdits, VariablesStandForWhatIsKnownOfTheRequest) {
  believe_tokens();
  edits.request_fields = {
      set("X-All",
          {{Kind::client_ip, {}}, {Kind::literal, " "}, {Kind::route, {}}, {Kind::literal, " "}, {Kind::host, {}}}),
      set("X-User", {{Kind::claim, "sub"}}), set("X-Id", {{Kind::path, "id"}}),
      set("X-Request", {{Kind::request_id, {}}})};
  ask("GET /api/%37;v=1/x", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(got("X-All"), "192.0.2.7 things a.example");
  EXPECT_EQ(got("X-User"), "alice") << "the token is verified although neither a limit nor the route asks for it";
  EXPECT_EQ(got("X-Id"), "7");
  EXPECT_EQ(got("X-Request"), got("X-Request-Id"));
}

TEST_F(PathEdits, AFieldWhoseValueIsMissingIsNotSentAndTheClientsNeither) {
  believe_tokens();
  edits.request_fields = {set("X-User", {{Kind::literal, "user "}, {Kind::claim, "sub"}}),
                          set("X-Plan", {{Kind::claim, "plan"}})};
  ask("GET /api/7/x", "X-User: root\r\nX-Plan: pro\r\n");
  EXPECT_EQ(got("X-User"), "-");
  EXPECT_EQ(got("X-Plan"), "-");
  ask_again("GET /api/7/x", "Authorization: Bearer alice\r\nX-Plan: pro\r\n");
  EXPECT_EQ(got("X-User"), "user alice");
  EXPECT_EQ(got("X-Plan"), "-") << "this token has no such claim";
}

TEST_F(PathEdits, ALongValueIsWhole) {
  const std::string many(3'000, 'a');
  edits.request_fields = {
      set("X-Long", {{Kind::request_id, {}}, {Kind::literal, many}, {Kind::literal, many}, {Kind::host, {}}}),
      set("X-Request", {{Kind::request_id, {}}})};
  ask("GET /api/7/x");
  EXPECT_EQ(got("X-Long"), got("X-Request-Id") + many + many + "a.example");
  EXPECT_EQ(got("X-Request"), got("X-Request-Id"));
}

TEST_F(PathEdits, TheFieldsOfTheAnswerAreChangedAndThoseOfTheGatewayStay) {
  edits.response_fields = {remove("Server"), set("X-Frame-Options", literal("DENY")), add("Vary", literal("Origin"))};
  server.fields = {{http::Known::server, "Server", "app/1.0"},
                   {http::Known::unknown, "x-frame-options", "SAMEORIGIN"},
                   {http::Known::unknown, "X-Own", "1"}};
  ask("GET /api/7/x");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(answered("Server"), "-");
  EXPECT_EQ(answered("X-Frame-Options"), "DENY");
  EXPECT_EQ(answered("x-frame-options"), "-");
  EXPECT_EQ(answered("Vary"), "Origin");
  EXPECT_EQ(answered("X-Own"), "1");
  EXPECT_EQ(answered("X-Request-Id"), std::string(x.request_id));
}

TEST_F(PathEdits, ProblemsGetTheFieldsOnlyIfThatIsWanted) {
  edits.response_fields = {set("X-Frame-Options", literal("DENY")), set("Cache-Control", literal("public"))};
  in_memory("few", "1/hour");
  ask("GET /api/7/x");
  EXPECT_EQ(answered("Cache-Control"), "public");
  ask_again("GET /api/7/x");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(answered("X-Frame-Options"), "-");
  EXPECT_EQ(answered("Cache-Control"), "no-store") << "no cache may keep a rejection";
}

TEST_F(PathEdits, ProblemsKeepTheFieldsThatTheyHave) {
  edits.response_fields = {set("X-Frame-Options", literal("DENY")), set("Cache-Control", literal("public")),
                           set("X-Client", {{Kind::client_ip, {}}})};
  edits.always = true;
  in_memory("few", "1/hour");
  ask("GET /api/7/x");
  ask_again("GET /api/7/x");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(answered("X-Frame-Options"), "DENY");
  EXPECT_EQ(answered("X-Client"), "192.0.2.7");
  EXPECT_EQ(answered("Cache-Control"), "no-store");
  EXPECT_NE(answered("Retry-After"), "-");
  ask_again("GET /api/7%2Fx/y");
  EXPECT_EQ(client.status, 400U);
  EXPECT_EQ(answered("X-Client"), "-") << "nobody has looked who the client is";
}

TEST_F(PathEdits, EditsOfAllRoutesComeBeforeThoseOfTheRoute) {
  EditOptions all;
  all.request_fields = {set("X-One", literal("all")), set("X-Two", literal("all"))};
  options.all_routes.edits = std::make_shared<EditOptions>(all);
  edits.request_fields = {remove("X-One"), set("X-Two", literal("own"))};
  ask("GET /api/7/x");
  EXPECT_EQ(got("X-One"), "-");
  EXPECT_EQ(got("X-Two"), "own");
}

TEST_F(PathEdits, TheServerGetsTheHostThatTheRouteSays) {
  edits.host = HostHeader{HostHeader::Is::fixed, "shop.internal:8080"};
  ask("GET /api/7/x");
  EXPECT_EQ(got("Host"), "shop.internal:8080");
  EXPECT_EQ(got("X-Forwarded-Host"), "a.example");
}

TEST_F(PathEdits, TheServersOwnNameHasNoPortThatNobodyWrites) {
  edits.host = HostHeader{HostHeader::Is::server, {}};
  ask("GET /api/7/x");
  EXPECT_EQ(got("Host"), "10.0.0.1");
}

TEST_F(PathEdits, ARequestThatIsSentAgainNamesTheServerAgain) {
  edits.host = HostHeader{HostHeader::Is::server, {}};
  server.kept = true;
  server.breaks = Failure{Failed::closed, error::connection_reset, true, ""};
  app->scripts.emplace_back();
  ask("GET /api/7/x");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->report.targets.size(), 2U);
  EXPECT_EQ(got("Host"), "10.0.0.1");
}

TEST_F(PathEdits, AddressesOfTheServerAreTurnedBack) {
  edits.rewrite.strip_prefix = "/api";
  edits.host = HostHeader{HostHeader::Is::server, {}};
  server.status = 302;
  server.fields = {{http::Known::location, "Location", "http://10.0.0.1/login"},
                   {http::Known::set_cookie, "Set-Cookie", "id=1; Domain=10.0.0.1; Path=/"}};
  ask("GET /api/7/x");
  EXPECT_EQ(answered("Location"), "http://a.example/api/login");
  EXPECT_EQ(answered("Set-Cookie"), "id=1; Path=/api");
}

TEST_F(PathEdits, AddressesStayIfThatIsWanted) {
  edits.rewrite.strip_prefix = "/api";
  edits.answers = false;
  server.status = 302;
  server.fields = {{http::Known::location, "Location", "/login"}};
  ask("GET /api/7/x");
  EXPECT_EQ(answered("Location"), "/login");
}

class PathRedirects : public PathEdits {
 protected:
  void redirects(const std::string& to, unsigned status = 308) {
    edits.redirect = RouteRedirect{to, status};
    route.to.clear();
    route.respond = Respond{status, {}, {}};
  }
};

TEST_F(PathRedirects, LeadToTheAddressWithTheRestAndTheQuery) {
  redirects("https://new.example/v2/{id}/*");
  ask("POST /api/7/x/y%20z?q=1");
  EXPECT_EQ(client.status, 308U);
  EXPECT_EQ(answered("Location"), "https://new.example/v2/7/x/y%20z?q=1");
  EXPECT_EQ(client.body, "");
  EXPECT_EQ(app->report.targets.size(), 0U);
  ask_again("GET /api/7");
  EXPECT_EQ(answered("Location"), "https://new.example/v2/7");
}

TEST_F(PathRedirects, NeverLeadToAnotherHostThanTheRouteSays) {
  redirects("/*", 301);
  for (const std::string_view path :
       {"//evil.example/7/x", "/api/7//evil.example", "/api/7/%5Cevil.example", "/api/7/..//evil.example",
        "/api/x/..//..//api/7///evil.example//", "/api/7/http://evil.example"}) {
    if (gateway)
      ask_again("GET " + std::string(path));
    else
      ask("GET " + std::string(path));
    const auto location = answered("Location");
    if (location == "-") continue;
    EXPECT_TRUE(location.starts_with('/') && !location.starts_with("//") && location.find('\\') == std::string::npos)
        << path << " led to " << location;
  }
  ask_again("GET /api/7//evil.example");
  EXPECT_EQ(answered("Location"), "/evil.example") << "a path of this host";
}

TEST_F(PathRedirects, HaveTheirOwnQueryIfOneIsWritten) {
  redirects("/found/{id}?from=old", 302);
  ask("GET /api/7/x?q=1");
  EXPECT_EQ(answered("Location"), "/found/7?from=old");
}

TEST_F(PathRedirects, TakeNoWithheldCredentialToAnotherHost) {
  identity.api_key.written = true;
  identity.api_key.query = "key";
  identity.api_key.pass_on = false;
  redirects("https://other.example/*");
  ask("GET /api/7/x?key=secret&q=1");
  EXPECT_EQ(answered("Location"), "https://other.example/x?q=1");
}

TEST_F(PathRedirects, HaveTheFieldsOfTheRoute) {
  redirects("/new");
  edits.respond_fields = {set("X-Moved", literal("yes"))};
  edits.response_fields = {set("X-Frame-Options", literal("DENY"))};
  ask("HEAD /api/7/x");
  EXPECT_EQ(client.status, 308U);
  EXPECT_EQ(answered("X-Moved"), "yes");
  EXPECT_EQ(answered("X-Frame-Options"), "DENY");
}

}  // namespace
}  // namespace headgate::gateway::test
