// What keeps strangers out in Spring Cloud Gateway keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::test {
namespace {

std::string gateway_of_spring(const std::string& routes, const std::string& rest = {}) {
  return "spring:\n  cloud:\n    gateway:\n" + rest + "      routes:\n" + routes;
}

std::string spring_route(const std::string& id, const std::string& predicates, const std::string& filters = {}) {
  return "      - id: " + id + "\n        uri: http://127.0.0.1:APP\n        predicates: [" + predicates + "]\n" +
         (filters.empty() ? "" : "        filters: [" + filters + "]\n");
}

/// A route with a filter, beside an open one.
std::string filtered(const std::string& filter) {
  return gateway_of_spring(spring_route("open", "Path=/open/**") + spring_route("door", "Path=/door/**", filter));
}

/// A route with a filter that nobody knows and these predicates, before an open one for everything.
std::string chosen_by(const std::string& predicates) {
  return gateway_of_spring(spring_route("door", predicates, "JwtGate") + spring_route("all", "Path=/**"));
}

struct SpringDoor {
  const char* name;
  std::string text;
  const char* target = "/door/";
  const char* fields = "";
};
void PrintTo(const SpringDoor& door, std::ostream* out) { *out << door.name; }

const std::vector<SpringDoor>& spring_doors() {
  static const std::vector<SpringDoor> kAll = {
      {"TokenRelay", filtered("TokenRelay=")},
      {"OwnFilter", filtered("JwtAuthentication")},
      {"OwnFilterWithArguments", filtered("{name: Authentication, args: {role: admin}}")},
      {"DefaultFilter", gateway_of_spring(spring_route("door", "Path=/door/**"), "      default-filters: [JwtGate]\n")},
      {"DefaultFilterInCamelCase",
       gateway_of_spring(spring_route("door", "Path=/door/**"), "      defaultFilters: [JwtGate]\n")},
      {"RewritePathOfAnotherForm", filtered("\"RewritePath=/door/(?<a>[^/]+)/.*, /public/$\\\\{a}\"")},
      {"StripPrefixOfMore", filtered("StripPrefix=3")},
      {"RemoveRequestParameter", filtered("RemoveRequestParameter=admin")},
      {"RemoteAddr", gateway_of_spring(spring_route("door", "Path=/door/**, \"RemoteAddr=10.0.0.0/8\""))},
      {"RemoteAddrBeforeAnOpenRoute", chosen_by("\"RemoteAddr=127.0.0.0/8\"")},
      {"XForwardedRemoteAddr",
       gateway_of_spring(spring_route("door", "Path=/door/**, \"XForwardedRemoteAddr=10.0.0.0/8\"")), "/door/",
       "X-Forwarded-For: 10.0.0.1\r\n"},
      {"Between",
       gateway_of_spring(spring_route("door",
                                      "Path=/door/**, \"Between=2017-01-20T17:42:47.789-07:00[America/Denver], "
                                      "2017-01-21T17:42:47.789-07:00[America/Denver]\""))},
      {"Cookie", gateway_of_spring(spring_route("door", "Path=/door/**, \"Cookie=session, .+\""))},
      {"HeaderByExpression", chosen_by("\"Header=X-Role, adm.*\""), "/", "X-Role: admin\r\n"},
      {"HeaderByNamedArguments", chosen_by("{name: Header, args: {regexp: \"adm.*\", header: X-Role}}"), "/",
       "X-Role: admin\r\n"},
      {"QueryByExpression", chosen_by("\"Query=role, adm.*\""), "/?role=admin"},
      {"HostByExpression", chosen_by("\"Host=te?t.example\""), "/"},
      {"OwnPredicate", chosen_by("OurOwn=x"), "/anything"},
      {"OneSegment", chosen_by("Path=/door/*"), "/door/x"},
      {"PartOfASegment", chosen_by("Path=/do*"), "/door"},
      {"ExpressionInAPath", chosen_by("\"Path=/door/{id:[0-9]+}\""), "/door/12"},
      {"PathAnywhere", chosen_by("Path=/**/secret"), "/a/b/secret"},
      {"FirstRouteForEverything",
       gateway_of_spring(spring_route("door", "Path=/**", "JwtGate") + spring_route("open", "Path=/open/**")),
       "/open/"},
      {"FirstRouteByOrder",
       gateway_of_spring(
           spring_route("open", "Path=/open/**") +
           "      - {id: door, order: -1, uri: \"http://127.0.0.1:APP\", predicates: [Path=/**], filters: "
           "[JwtGate]}\n"),
       "/open/"},
      {"OneSegmentIsNoMore",
       gateway_of_spring(spring_route("open", "Path=/door/*") + spring_route("door", "Path=/door/**", "JwtGate")),
       "/door/a/b"},
      {"RouteOfAProfile",
       gateway_of_spring(spring_route("open", "Path=/open/**")) +
           "---\nspring:\n  config: {activate: {on-profile: dev}}\n  cloud:\n    gateway:\n      routes:\n" +
           spring_route("door", "Path=/door/**")},
      {"ResourceServer",
       "spring:\n  security: {oauth2: {resourceserver: {jwt: {jwk-set-uri: \"http://127.0.0.1:1/keys\"}}}}\n"
       "  cloud:\n    gateway:\n      routes:\n" +
           spring_route("door", "Path=/door/**")},
      {"ResourceServerByItsIssuer",
       "spring:\n  security: {oauth2: {resourceserver: {jwt: {issuer-uri: \"http://127.0.0.1:1\"}}}}\n"
       "  cloud:\n    gateway:\n      routes:\n" +
           spring_route("door", "Path=/door/**")},
      {"SignIn",
       "spring:\n  security: {oauth2: {client: {registration: {a: {client-id: x}}}}}\n"
       "  cloud:\n    gateway:\n      routes:\n" +
           spring_route("door", "Path=/door/**")},
      {"User",
       "spring:\n  security: {user: {name: a, password: b}}\n"
       "  cloud:\n    gateway:\n      routes:\n" +
           spring_route("door", "Path=/door/**")},
  };
  return kAll;
}

class SpringDoors : public testing::TestWithParam<SpringDoor> {};

TEST_P(SpringDoors, StayClosed) {
  const auto& door = GetParam();
  expect_closed({.name = door.name, .text = door.text.c_str(), .target = door.target, .fields = door.fields},
                "application.yml");
}

INSTANTIATE_TEST_SUITE_P(All, SpringDoors, testing::ValuesIn(spring_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

const std::vector<SpringDoor>& open_spring_doors() {
  static const std::vector<SpringDoor> kAll = {
      {"BesideAClosedOne", filtered("JwtGate"), "/open/"},
      {"Harmless", filtered("SecureHeaders, SaveSession, \"AddRequestHeader=X-A, b\"")},
      {"RemoteAddr", gateway_of_spring(spring_route("door", "Path=/door/**, \"RemoteAddr=127.0.0.0/8\""))},
      {"HeaderOfSeveralValues", gateway_of_spring(spring_route("door", "Path=/door/**, \"Header=X-V, 1|2\"")), "/door/",
       "X-V: 2\r\n"},
      {"ExpressionInAPath", gateway_of_spring(spring_route("door", "\"Path=/door/{id:[0-9]+}\"")), "/door/12"},
      {"OneSegment", gateway_of_spring(spring_route("door", "Path=/door/*")), "/door/x"},
      {"BehindAClosedOne", chosen_by("Path=/door/**"), "/other"},
  };
  return kAll;
}

class OpenSpringDoors : public testing::TestWithParam<SpringDoor> {};

TEST_P(OpenSpringDoors, StayOpen) {
  const auto& door = GetParam();
  expect_open({.name = door.name, .text = door.text.c_str(), .target = door.target, .fields = door.fields},
              "application.yml");
}

INSTANTIATE_TEST_SUITE_P(All, OpenSpringDoors, testing::ValuesIn(open_spring_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
