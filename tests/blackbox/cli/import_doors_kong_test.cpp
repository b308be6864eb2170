// What keeps strangers out in Kong keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace headgate::test {
namespace {

/// A service with one route, whose plugins are given, beside an open one.
std::string kong_with(const std::string& plugins, const std::string& rest = {}) {
  return "_format_version: \"3.0\"\nservices:\n- name: app\n  url: http://127.0.0.1:APP\n  routes:\n"
         "  - {name: open, paths: [/open]}\n  - name: door\n    paths: [/door]\n    plugins:\n" +
         plugins + rest;
}

/// Consumers with credentials of all kinds. Guest may be the anonymous one.
constexpr const char* kConsumers = R"y(
consumers:
- username: acme
  keyauth_credentials: [{key: acme-key-0123456789}]
  jwt_secrets: [{key: acme, secret: acme-secret-0123456789-0123456789}]
  basicauth_credentials: [{username: acme, password: secret}]
  acls: [{group: partners}]
- username: guest
  id: 5a6f7c8e-0000-4000-8000-000000000001
- username: banned
  keyauth_credentials: [{key: banned-key-0123456789}]
  plugins: [{name: request-termination, config: {status_code: 403}}]
- username: scripted
  keyauth_credentials: [{key: scripted-key-0123456789}]
  plugins: [{name: pre-function, config: {access: ["kong.response.exit(403)"]}}]
)y";

struct KongDoor {
  const char* name;
  std::string text;
  const char* target = "/door";
  const char* fields = "";
};
void PrintTo(const KongDoor& door, std::ostream* out) { *out << door.name; }

const std::vector<KongDoor>& kong_doors() {
  static const auto plugin = [](const char* text) {
    return kong_with("    - " + std::string(text) + "\n", kConsumers);
  };
  static const std::vector<KongDoor> kAll = {
      {"Jwt", plugin("{name: jwt}")},
      {"JwtWithoutSecrets", kong_with("    - {name: jwt}\n")},
      {"JwtByAnotherClaim", plugin("{name: jwt, config: {key_claim_name: kid}}")},
      {"KeyAuth", plugin("{name: key-auth}")},
      {"KeyAuthWithoutKeys", kong_with("    - {name: key-auth}\n"), "/door", "apikey: anything\r\n"},
      {"KeyAuthWithAnUnknownKey", plugin("{name: key-auth}"), "/door", "apikey: anything\r\n"},
      {"KeyAuthInBodies", plugin("{name: key-auth, config: {key_in_header: false, key_in_query: false}}")},
      {"KeyOfABannedConsumer", plugin("{name: key-auth}"), "/door", "apikey: banned-key-0123456789\r\n"},
      {"KeyOfAScriptedConsumer", plugin("{name: key-auth}"), "/door", "apikey: scripted-key-0123456789\r\n"},
      {"KeyThatStandsInAVault",
       kong_with("    - {name: key-auth}\n",
                 "consumers:\n- username: a\n  keyauth_credentials: "
                 "[{key: \"{vault://env/acme-key}\"}]\n"),
       "/door", "apikey: {vault://env/acme-key}\r\n"},
      {"BasicAuth", plugin("{name: basic-auth}")},
      {"BasicAuthWithAcl", plugin("{name: basic-auth}\n    - {name: acl, config: {allow: [partners]}}")},
      {"AclOfAnotherGroup", plugin("{name: key-auth}\n    - {name: acl, config: {allow: [staff]}}"), "/door",
       "apikey: acme-key-0123456789\r\n"},
      {"AclThatDenies", plugin("{name: key-auth}\n    - {name: acl, config: {deny: [partners]}}"), "/door",
       "apikey: acme-key-0123456789\r\n"},
      {"AclAlone", plugin("{name: acl, config: {allow: [partners]}}")},
      {"AclOfConsumerGroups",
       plugin("{name: key-auth}\n    - {name: acl, config: {allow: [partners], include_consumer_groups: true}}"),
       "/door", "apikey: acme-key-0123456789\r\n"},
      {"KeyAndTokenBoth", plugin("{name: key-auth}\n    - {name: jwt}"), "/door", "apikey: acme-key-0123456789\r\n"},
      {"OAuth2", plugin("{name: oauth2, config: {enable_client_credentials: true}}")},
      {"OpenidConnect", plugin("{name: openid-connect, config: {issuer: \"https://login.example.com\"}}")},
      {"HmacAuth", plugin("{name: hmac-auth}")},
      {"LdapAuth", plugin("{name: ldap-auth, config: {ldap_host: ldap, base_dn: dc=x, attribute: cn}}")},
      {"Session", plugin("{name: session}")},
      {"MtlsAuth", plugin("{name: mtls-auth, config: {ca_certificates: [a]}}")},
      {"BotDetection", plugin("{name: bot-detection}")},
      {"PreFunction", plugin("{name: pre-function, config: {access: [\"kong.response.exit(403)\"]}}")},
      {"Unknown", plugin("{name: our-own-gate}")},
      {"RequestTermination", plugin("{name: request-termination, config: {status_code: 403, message: no}}")},
      {"RequestTerminationByTrigger", plugin("{name: request-termination, config: {trigger: maintenance}}")},
      {"IpRestriction", plugin("{name: ip-restriction, config: {allow: [10.0.0.0/8]}}")},
      {"IpRestrictionElsewhere", plugin("{name: ip-restriction, _config: office}")},
      {"AnonymousNobodyKnows", plugin("{name: key-auth, config: {anonymous: nobody}}")},
      {"AnonymousThatIsRefused", plugin("{name: key-auth, config: {anonymous: banned}}")},
      {"AnonymousOfTwoKinds",
       plugin("{name: key-auth, config: {anonymous: banned}}\n    - {name: jwt, config: {anonymous: banned}}")},
      {"AnonymousOutsideOfTheGroup",
       plugin("{name: key-auth, config: {anonymous: guest}}\n    - {name: acl, config: {allow: [partners]}}")},
      {"PluginOfTheService", kong_with("    - {name: cors}\n", "  plugins: [{name: oauth2}]\n")},
      {"PluginOfEverything", kong_with("    - {name: cors}\n", "plugins: [{name: oauth2}]\n")},
      {"PluginBesideTheRoute", kong_with("    - {name: cors}\n", "plugins: [{name: oauth2, route: door}]\n")},
      {"PluginBesideTheService",
       kong_with("    - {name: cors}\n", "plugins: [{name: oauth2, service: {name: app}}]\n")},
      {"PluginOfRouteAndService",
       kong_with("    - {name: cors}\n", "plugins: [{name: oauth2, service: app, route: {name: door}}]\n")},
      {"PluginOfAnIdThatIsNotThere",
       kong_with("    - {name: cors}\n",
                 "plugins: [{name: oauth2, service: {id: 5a6f7c8e-0000-4000-8000-000000000009}}]\n")},
      {"NearerPluginIsOff", kong_with("    - {name: ip-restriction, enabled: false, config: {deny: [10.0.0.1]}}\n",
                                      "  plugins: [{name: ip-restriction, config: {allow: [10.0.0.0/8]}}]\n")},
      {"ExpressionsAsPaths", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes:
  - {name: all, paths: [/open]}
  - {name: door, paths: ["~/door/(?<id>\\d+)$"], strip_path: false, plugins: [{name: hmac-auth}]}
)y",
       "/door/12"},
      {"ExpressionsOfKong2", R"y(_format_version: "2.1"
services:
- name: app
  url: http://127.0.0.1:APP
  routes:
  - {name: all, paths: [/]}
  - {name: door, paths: ["/door/\\d+"], strip_path: false, plugins: [{name: hmac-auth}]}
)y",
       "/door/12"},
      {"ExpressionsThatRe2HasNot", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes:
  - {name: all, paths: [/]}
  - {name: door, paths: ["~/door/(?!public)"], strip_path: false, plugins: [{name: hmac-auth}]}
)y",
       "/door/12"},
      {"ExpressionsBeforeLongerPaths", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes:
  - {name: all, paths: [/api/v1]}
  - {name: door, paths: ["~/.*/secret"], strip_path: false, plugins: [{name: hmac-auth}]}
)y",
       "/api/v1/secret"},
      {"ExpressionWithASlashAtItsEnd", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes:
  - {name: all, paths: [/]}
  - {name: door, paths: ["~/(door|gate)/"], strip_path: false, plugins: [{name: hmac-auth}]}
)y",
       "/gate/"},
      {"MoreConditionsBeforeAHost", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes:
  - {name: host, hosts: [test.example]}
  - {name: door, paths: [/door], methods: [GET], plugins: [{name: hmac-auth}]}
)y"},
      {"PrefixOfHalfASegment", kong_with("    - {name: hmac-auth}\n", "  - {name: all, paths: [/]}\n"), "/doors"},
      {"Sources", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, paths: [/door], sources: [{ip: 10.0.0.0/8}]}]
)y"},
      {"SourcesWithPorts", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, paths: [/door], sources: [{ip: 10.0.0.0/8, port: 80}]}]
)y"},
      {"Snis", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, paths: [/door], snis: [internal.example.com]}]
)y"},
      {"Expression", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, expression: 'http.path == "/other"'}]
)y"},
      {"HeaderByExpression", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, paths: [/door], headers: {x-version: ["~*^2"]}}]
)y",
       "/door", "x-version: 3\r\n"},
      {"AnotherPathForTheServer",
       plugin("{name: request-transformer, config: {replace: {uri: \"/public/$(uri_captures[1])\"}}}")},
      {"AnotherMethodForTheServer", plugin("{name: request-transformer, config: {http_method: GET}}")},
  };
  return kAll;
}

class KongDoors : public testing::TestWithParam<KongDoor> {
 protected:
  KongDoors() { ::setenv("KONG_JWT_ACME", "acme-secret-0123456789-0123456789", 1); }
};

TEST_P(KongDoors, StayClosed) {
  const auto& door = GetParam();
  expect_closed({.name = door.name, .text = door.text.c_str(), .target = door.target, .fields = door.fields},
                "kong.yml");
}

INSTANTIATE_TEST_SUITE_P(All, KongDoors, testing::ValuesIn(kong_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

const std::vector<KongDoor>& open_kong_doors() {
  static const auto plugin = [](const char* text) {
    return kong_with("    - " + std::string(text) + "\n", kConsumers);
  };
  static const std::vector<KongDoor> kAll = {
      {"BesideAClosedOne", kong_with("    - {name: oauth2}\n"), "/open"},
      {"Harmless", plugin("{name: prometheus}\n    - {name: file-log, config: {path: /tmp/x}}")},
      {"Off", plugin("{name: oauth2, enabled: false}")},
      {"KeyThatIsKnown", plugin("{name: key-auth}"), "/door", "apikey: acme-key-0123456789\r\n"},
      {"KeyOfAGroup", plugin("{name: key-auth}\n    - {name: acl, config: {allow: [partners]}}"), "/door",
       "apikey: acme-key-0123456789\r\n"},
      {"KeyOutsideOfAGroup", plugin("{name: key-auth}\n    - {name: acl, config: {deny: [staff]}}"), "/door",
       "apikey: acme-key-0123456789\r\n"},
      {"AnonymousIsLetIn", plugin("{name: key-auth, config: {anonymous: guest}}")},
      {"Address", plugin("{name: ip-restriction, config: {allow: [127.0.0.0/8]}}")},
      // {"alg":"HS256","typ":"JWT"}, {"iss":"acme"}, signed with acme-secret-0123456789-0123456789
      {"Token", plugin("{name: jwt}\n    - {name: acl, config: {allow: [partners]}}"), "/door",
       "Authorization: Bearer "
       "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJhY21lIn0.aCVNpwFYg-OKLc9P8AODk6VtWcK_fv-M6ZJNP97gl2E\r\n"},
      {"ExpressionAsAPath", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, paths: ["~/door/(?<id>\\d+)$"], strip_path: false}]
)y",
       "/door/12"},
      {"Source", R"y(_format_version: "3.0"
services:
- name: app
  url: http://127.0.0.1:APP
  routes: [{name: door, paths: [/door], sources: [{ip: 127.0.0.0/8}]}]
)y"},
  };
  return kAll;
}

class OpenKongDoors : public KongDoors {};

TEST_P(OpenKongDoors, StayOpen) {
  const auto& door = GetParam();
  expect_open({.name = door.name, .text = door.text.c_str(), .target = door.target, .fields = door.fields}, "kong.yml");
}

INSTANTIATE_TEST_SUITE_P(All, OpenKongDoors, testing::ValuesIn(open_kong_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
