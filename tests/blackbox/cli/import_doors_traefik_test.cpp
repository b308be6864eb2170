// What keeps strangers out in Traefik keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::test {
namespace {

/// Routers to one service.
std::string routers(const std::string& text, const std::string& rest = {}) {
  return "http:\n  services:\n    app:\n      loadBalancer:\n        servers:\n          - url: http://127.0.0.1:APP\n"
         "  routers:\n" +
         text + rest;
}

std::string router(const std::string& name, const std::string& rule, const std::string& more = {}) {
  return "    " + name + ": {service: app, rule: '" + rule + "'" + more + "}\n";
}

/// A router with one middleware, beside an open one.
std::string behind(const std::string& middleware) {
  return routers(
      router("open", "PathPrefix(`/open/`)") + router("door", "PathPrefix(`/door/`)", ", middlewares: [gate]"),
      "  middlewares:\n    gate: " + middleware + "\n");
}

/// A guarded router with this rule, before an open one for everything.
std::string ruled(const std::string& rule) {
  return routers(router("all", "PathPrefix(`/`)") + router("door", rule, ", priority: 1000, middlewares: [gate]"),
                 "  middlewares:\n    gate: {digestAuth: {users: [\"a:b:c\"]}}\n");
}

/// A container with these labels, whose name is its address, and one that runs Traefik.
std::string container(const std::string& labels, const std::string& flags = {}) {
  return "services:\n  traefik: {command: [" + flags + "]}\n  127.0.0.1:\n    labels:\n" + labels +
         "      - traefik.http.routers.door.rule=PathPrefix(`/door/`)\n"
         "      - traefik.http.services.door.loadbalancer.server.port=APP\n";
}

struct TraefikDoor {
  const char* name;
  std::string text;
  const char* target = "/door/";
  const char* fields = "";
};
void PrintTo(const TraefikDoor& door, std::ostream* out) { *out << door.name; }

const std::vector<TraefikDoor>& traefik_doors() {
  static const std::vector<TraefikDoor> kAll = {
      {"BasicAuthWithUsers", behind(R"y({basicAuth: {users: ["a:$2y$04$YsYHolJpTs2HZo6Be5aG9."]}})y")},
      {"BasicAuthWithoutItsFile", behind("{basicAuth: {usersFile: /nowhere/users}}")},
      {"DigestAuth", behind("{digestAuth: {users: [\"a:b:c\"]}}")},
      {"ForwardAuth", behind("{forwardAuth: {address: \"http://127.0.0.1:1/check\"}}")},
      {"ForwardAuthWithABody", behind("{forwardAuth: {address: \"http://127.0.0.1:APP/\", forwardBody: true}}")},
      {"Addresses", behind("{ipAllowList: {sourceRange: [10.0.0.0/8]}}")},
      {"AddressesOfOldName", behind("{ipWhiteList: {sourceRange: [10.0.0.0/8]}}")},
      {"AddressesToldByAProxy", behind("{ipAllowList: {sourceRange: [127.0.0.0/8], ipStrategy: {depth: 1}}}")},
      {"Plugin", behind("{plugin: {jwt: {secret: x}}}")},
      {"Unknown", behind("{ourOwnGate: {}}")},
      {"Empty", behind("{}")},
      {"Chain", behind("{chain: {middlewares: [inner]}}\n    inner: {plugin: {jwt: {}}}")},
      {"AllowedHosts", behind("{headers: {allowedHosts: [internal.example.com]}}")},
      {"RedirectRegex", behind("{redirectRegex: {regex: \"^.*$\", replacement: \"https://example.com/\"}}")},
      {"ReplacePathRegex", behind("{replacePathRegex: {regex: \"^.*$\", replacement: \"/public\"}}")},
      {"MiddlewareThatIsNotThere", routers(router("door", "PathPrefix(`/door/`)", ", middlewares: [\"auth@docker\"]"))},
      {"ClientIp", routers(router("door", "ClientIP(`10.0.0.0/8`)"))},
      {"ClientIpAndPath", ruled("PathPrefix(`/door`) && ClientIP(`127.0.0.0/8`)")},
      {"HalfASegment", ruled("PathPrefix(`/door`)"), "/doors"},
      {"PathRegexp", ruled("PathRegexp(`^/door/[0-9]+$`)"), "/door/12"},
      {"PathRegexpAnywhere", ruled("PathRegexp(`\\.secret$`)"), "/x.secret"},
      {"PathRegexpBeforeLongerPaths",
       routers(router("all", "PathPrefix(`/api/v1/`)") +
                   router("door", "PathRegexp(`.*/this-is-the-secret-part`)", ", middlewares: [gate]"),
               "  middlewares:\n    gate: {plugin: {x: {}}}\n"),
       "/api/v1/this-is-the-secret-part"},
      {"HeaderRegexp", ruled("HeaderRegexp(`X-Role`, `^adm.*`)"), "/", "X-Role: admin\r\n"},
      {"QueryRegexp", ruled("QueryRegexp(`role`, `^adm.*`)"), "/?role=admin"},
      {"HostRegexp", ruled("HostRegexp(`^te[a-z]+\\.example$`)"), "/"},
      {"HostRegexpOfVersion2", ruled("HostRegexp(`{sub:[a-z]+}.example`)"), "/"},
      {"PathOfVersion2", ruled("Path(`/door/{id:[0-9]+}`)"), "/door/12"},
      {"Not", ruled("!Method(`POST`)")},
      {"NotAPath", ruled("!PathPrefix(`/public`) && PathPrefix(`/`)"), "/door"},
      {"OneOfTwo", ruled("Path(`/gate`) || Path(`/door`)"), "/door"},
      {"TwoPaths", ruled("PathPrefix(`/door`) && PathPrefix(`/door/inner`)"), "/door/inner/x"},
      {"SameRequestsWithAPriority",
       routers(router("a", "PathPrefix(`/door`)") +
                   router("b", "PathPrefix(`/door`)", ", priority: 1000, middlewares: [gate]"),
               "  middlewares:\n    gate: {ipAllowList: {sourceRange: [10.0.0.0/8]}}\n")},
      {"AnOuterRouterFirst",
       routers(router("a", "PathPrefix(`/door/inner`)") +
                   router("b", "PathPrefix(`/door`)", ", priority: 1000, middlewares: [gate]"),
               "  middlewares:\n    gate: {ipAllowList: {sourceRange: [10.0.0.0/8]}}\n"),
       "/door/inner/x"},
      {"ContainerThatIsNotEnabled", container("      - traefik.enable=false\n")},
      {"ContainerThatIsNotExposed", container("", "--providers.docker.exposedbydefault=false")},
      {"MiddlewareOfAContainer", container("      - traefik.http.routers.door.middlewares=gate\n"
                                           "      - traefik.http.middlewares.gate.basicauth.users=a:b\n")},
      {"MiddlewareOfTheEntryPointByAFlag", container("      - traefik.http.middlewares.gate.basicauth.users=a:b\n",
                                                     "--entrypoints.web.http.middlewares=gate@docker")},
      {"MiddlewareOfTwoMeanings",
       behind("{ipAllowList: {sourceRange: [127.0.0.0/8]}}") +
           "---\nhttp:\n  middlewares:\n    gate: {ipAllowList: {sourceRange: [10.0.0.0/8]}}\n"},
      {"UnknownMatcher", ruled("OurOwn(`x`)"), "/anything"},
      {"BrokenRule", ruled("PathPrefix(`/door"), "/door"},
      {"EntryPointOfOperators", routers(router("open", "PathPrefix(`/open/`)") +
                                        router("door", "PathPrefix(`/door/`)", ", entryPoints: [internal]"))},
      {"MiddlewareOfTheEntryPoint", routers(router("door", "PathPrefix(`/door/`)"),
                                            "  middlewares:\n    gate: {plugin: {x: {}}}\n"
                                            "entryPoints:\n  web: {address: \":80\", http: {middlewares: [gate]}}\n")},
      {"CertificatesOfClients",
       routers(router("door", "PathPrefix(`/door/`)", ", tls: {options: mtls}"),
               "tls:\n  options:\n    mtls: {clientAuth: {caFiles: [/nowhere/ca.pem], clientAuthType: "
               "RequireAndVerifyClientCert}}\n")},
      {"CertificatesOfOptionsThatAreNotThere",
       routers(router("door", "PathPrefix(`/door/`)", ", tls: {options: \"mtls@file\"}"))},
  };
  return kAll;
}

class TraefikDoors : public testing::TestWithParam<TraefikDoor> {};

TEST_P(TraefikDoors, StayClosed) {
  const auto& door = GetParam();
  expect_closed({.name = door.name, .text = door.text.c_str(), .target = door.target, .fields = door.fields},
                "traefik.yml");
}

INSTANTIATE_TEST_SUITE_P(All, TraefikDoors, testing::ValuesIn(traefik_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

const std::vector<TraefikDoor>& open_traefik_doors() {
  static const std::vector<TraefikDoor> kAll = {
      {"BesideAClosedOne", behind("{plugin: {x: {}}}"), "/open/"},
      {"Harmless", behind("{compress: {}}")},
      {"Address", behind("{ipAllowList: {sourceRange: [127.0.0.0/8]}}")},
      {"ClientIp", routers(router("door", "ClientIP(`127.0.0.0/8`)"))},
      {"PathRegexp", routers(router("door", "PathRegexp(`^/door/[0-9]+$`)")), "/door/12"},
      {"HostsBelow", routers(router("door", "HostRegexp(`^.+\\.example$`)")), "/"},
      {"NotAPath",
       routers(router("all", "PathPrefix(`/`) && !PathPrefix(`/inner`)") +
                   router("inner", "PathPrefix(`/inner`)", ", middlewares: [gate]"),
               "  middlewares:\n    gate: {plugin: {x: {}}}\n"),
       "/door"},
      {"Container", container("      - traefik.enable=true\n", "--providers.docker.exposedbydefault=false")},
      {"ShorterRule", ruled("PathPrefix(`/door`)"), "/other"},
  };
  return kAll;
}

class OpenTraefikDoors : public testing::TestWithParam<TraefikDoor> {};

TEST_P(OpenTraefikDoors, StayOpen) {
  const auto& door = GetParam();
  expect_open({.name = door.name, .text = door.text.c_str(), .target = door.target, .fields = door.fields},
              "traefik.yml");
}

INSTANTIATE_TEST_SUITE_P(All, OpenTraefikDoors, testing::ValuesIn(open_traefik_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
