// What keeps strangers out in nginx keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"
#include "blackbox/harness/imported.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

/// `inside` in a location for everything that is passed on.
#define IN_LOCATION(inside) "\nserver { listen 8080; location / { " inside " proxy_pass http://127.0.0.1:APP; } }"
/// `inside` in a server that passes everything on.
#define IN_SERVER(inside) "\nserver { listen 8080; " inside " location / { proxy_pass http://127.0.0.1:APP; } }"

constexpr Door kNginxDoors[] = {
    // Passwords.
    {"PasswordsWithoutAFile", IN_LOCATION("auth_basic x; auth_basic_user_file /nowhere/users;")},
    {"PasswordsOfMd5", IN_LOCATION("auth_basic x; auth_basic_user_file DIR/users;")},
    {"PasswordsOfAVariableFile", IN_LOCATION("auth_basic x; auth_basic_user_file /etc/$host;")},
    {"PasswordsOfTheServer", IN_SERVER("auth_basic x; auth_basic_user_file /nowhere/users;")},
    {"PasswordsOfAll", "auth_basic x; auth_basic_user_file /nowhere/users; " IN_LOCATION("")},
    {"PasswordsOrAddresses",
     IN_LOCATION("satisfy any; allow 10.0.0.0/8; deny all; auth_basic x; auth_basic_user_file /nowhere/users;")},
    // Services and tokens.
    {"AuthService", IN_SERVER("location = /a { internal; proxy_pass http://127.0.0.1:1/; } auth_request /a;")},
    {"AuthServiceOfAVariable", IN_SERVER("location = /a { internal; proxy_pass http://$x/; } auth_request /a;")},
    {"Tokens", IN_LOCATION("auth_jwt api; auth_jwt_key_file /etc/keys.json;")},
    {"TokensOfTheServer", IN_SERVER("auth_jwt api;")},
    {"SignedLinks", IN_LOCATION("secure_link $arg_md5; secure_link_md5 $uri;")},
    {"Programs", IN_LOCATION("access_by_lua_file /etc/check.lua;")},
    {"ProgramsInPlace", IN_LOCATION("access_by_lua_block { if not ok then ngx.exit(403) end }")},
    {"ModulesOfOthers", IN_LOCATION("auth_ldap Forbidden; auth_ldap_servers one;")},
    {"ModulesOfOthersForAll", "auth_pam 'x'; " IN_LOCATION("")},
    {"FilesThatAreNotHere", IN_LOCATION("include snippets/protected.conf;")},
    {"FilesOfTheServerThatAreNotHere", IN_SERVER("include snippets/protected.conf;")},
    // Certificates.
    {"Certificates", IN_SERVER("ssl_verify_client on; ssl_client_certificate /nowhere/ca.pem;")},
    {"CertificatesThatAConditionDemands",
     IN_SERVER("ssl_verify_client optional; if ($ssl_client_verify != SUCCESS) { return 403; }")},
    // Addresses.
    {"Addresses", IN_LOCATION("allow 10.0.0.0/8; deny all;")},
    {"AddressesOfTheServer", IN_SERVER("allow 10.0.0.0/8; deny all;")},
    {"AddressesThatAreNone", IN_LOCATION("deny 127.0.0.1/x;")},
    {"AddressesToldByAnother",
     IN_LOCATION("real_ip_header CF-Connecting-IP; set_real_ip_from 10.0.0.0/8; deny 10.0.0.1;")},
    {"AddressesOfGeo", "geo $bad { default 1; 10.0.0.0/8 0; } " IN_LOCATION("if ($bad) { return 403; }")},
    {"AddressesOfAMap", "map $remote_addr $bad { default 1; 10.0.0.1 0; } " IN_SERVER("if ($bad) { return 403; }")},
    {"AddressesBehindAnotherSlash",
     "server { listen 8080; location /admin { deny 127.0.0.0/8; proxy_pass "
     "http://127.0.0.1:APP; } location / { proxy_pass http://127.0.0.1:APP; } }",
     "/adminx"},
    {"ListenersOfThisMachine",
     "server { listen 8080; server_name a.example; location / { proxy_pass "
     "http://127.0.0.1:APP; } } server { listen 127.0.0.1:9000; server_name b.example; "
     "allow 10.0.0.0/8; deny all; location / { proxy_pass http://127.0.0.1:APP; } }",
     "/", "Host: b.example\r\n"},
    // Conditions.
    {"KeyThatIsMissing", IN_LOCATION("if ($http_x_api_key = \"\") { return 401; }")},
    {"KeyThatIsMissingForTheServer", IN_SERVER("if ($http_x_api_key = '') { return 401; }")},
    {"KeyThatIsWrong", IN_LOCATION("if ($http_x_api_key != \"s3cret\") { return 403; }")},
    {"KeyOfAMap", "map $http_x_api_key $known { default 0; abc 1; } " IN_LOCATION("if ($known = 0) { return 401; }")},
    {"ParameterThatIsMissing", IN_LOCATION("if ($arg_token = \"\") { return 401; }")},
    {"CookieThatIsMissing", IN_LOCATION("if ($cookie_session = \"\") { return 302 /login; }")},
    {"RefererThatIsWrong", IN_LOCATION("valid_referers none *.example.com; if ($invalid_referer) { return 403; }")},
    {"VariableOfItsOwn", IN_SERVER("set $deny 1; if ($deny) { return 444; }")},
    {"Robots", IN_LOCATION("if ($http_user_agent ~* \"^$|curl\") { return 403; }")},
    {"MethodsThatAreRefused", IN_LOCATION("if ($request_method ~ ^(GET|PUT)$) { return 405; }")},
    {"MethodsThatAreNotNamed", IN_SERVER("if ($request_method !~ ^(POST|PUT)$) { return 405; }")},
    {"MethodsThatAreNotExcepted", IN_LOCATION("limit_except POST { deny all; }")},
    {"MethodsForAddresses", IN_LOCATION("limit_except POST { allow 10.0.0.0/8; deny all; }")},
    {"MethodsForPasswords", IN_LOCATION("limit_except POST { auth_basic x; auth_basic_user_file /nowhere/users; }")},
    {"MethodsForTokens", IN_LOCATION("limit_except POST { auth_jwt api; }")},
    {"RewriteToAnotherPlace", IN_SERVER("rewrite ^/private/ /forbidden last;"), "/private/x"},
    {"RewriteToAnotherHost", IN_LOCATION("rewrite ^ https://login.example.com/ permanent;")},
    // Paths.
    {"ExpressionThatIsClosed", IN_SERVER("location ~ \\.php$ { return 444; }"), "/x.php"},
    {"ExpressionBeforeLongerPaths",
     "server { listen 8080; location ~ \\.php$ { return 403; } location /app/ { proxy_pass http://127.0.0.1:APP; } }",
     "/app/x.php"},
    {"ExpressionThatIgnoresCase", IN_SERVER("location ~* ^/Admin { deny all; }"), "/aDMIN/x"},
    {"ExpressionWithAlternatives", IN_SERVER("location ~ ^/(admin|root)/ { return 403; }"), "/root/"},
    {"ExpressionWithAlternativesBelow", IN_SERVER("location ~ ^/(admin|root)/ { return 403; }"), "/admin/x"},
    {"ExpressionAnywhere", IN_SERVER("location ~ /\\. { deny all; }"), "/a/.git/config"},
    {"ExpressionWithLookahead", IN_SERVER("location ~ ^/(?!public) { return 403; }"), "/private"},
    {"ExpressionWithPasswords",
     IN_SERVER("location ~ ^/wp-(admin|login) { auth_basic x; auth_basic_user_file /nowhere/users; proxy_pass "
               "http://127.0.0.1:APP; }"),
     "/wp-login.php"},
    {"FirstExpressionOfTwo",
     IN_SERVER("location ~ ^/log { deny all; } location ~ ^/login$ { proxy_pass http://127.0.0.1:APP; }"), "/login"},
    {"FirstExpressionThatIgnoresCase",
     IN_SERVER("location ~* ^/log { deny all; } location ~ ^/log.n$ { proxy_pass http://127.0.0.1:APP; }"), "/login"},
    {"ExpressionWithinAPath",
     IN_SERVER("location /a/ { proxy_pass http://127.0.0.1:APP; location ~ \\.cgi$ { return 403; } }"), "/a/x.cgi"},
    {"ExpressionOfASlash", IN_SERVER("location ~ ^/x/$ { return 403; }"), "/x/"},
    {"PathsOfTheServiceItself", IN_SERVER("location /internal/ { internal; proxy_pass http://127.0.0.1:APP; }"),
     "/internal/x"},
    {"PathsThatGoOnInASegment", IN_SERVER("location /admin { return 403; }"), "/admin.php"},
    {"PathsThatGoOnBeforeExpressions",
     IN_SERVER("location ^~ /admin { return 403; } location ~ \\.php$ { proxy_pass http://127.0.0.1:APP; }"),
     "/admin.php"},
};

class NginxDoor : public testing::TestWithParam<Door> {};

TEST_P(NginxDoor, StaysClosed) { expect_closed(GetParam(), "nginx.conf"); }

INSTANTIATE_TEST_SUITE_P(All, NginxDoor, testing::ValuesIn(kNginxDoors),
                         [](const auto& door) { return std::string(door.param.name); });

// So that the test above does not pass by refusing everything.
constexpr Door kOpenNginxDoors[] = {
    {"NothingProtects", IN_LOCATION("")},
    {"AddressesThatAreLetIn", IN_LOCATION("allow 127.0.0.0/8; deny all;")},
    {"AddressesOfGeoThatAreLetIn", "geo $bad { default 1; 127.0.0.0/8 0; } " IN_LOCATION("if ($bad) { return 403; }")},
    {"MethodsThatAreNamed", IN_SERVER("if ($request_method !~ ^(GET|PUT)$) { return 405; }")},
    {"MethodsThatAreExcepted", IN_LOCATION("limit_except GET { deny all; }")},
    {"MethodsThatAreNotRefused", IN_LOCATION("if ($request_method = TRACE) { return 405; }")},
    {"PasswordsThatAreOff", IN_SERVER("auth_basic off; auth_basic_user_file /nowhere/users;")},
    {"TokensThatAreOff", "auth_jwt api; " IN_LOCATION("auth_jwt off;")},
    {"OtherExpressions", IN_SERVER("location ~ \\.php$ { return 444; }"), "/x.html"},
    {"BeforeExpressions",
     "server { listen 8080; location ~ \\.php$ { return 403; } location ^~ /app/ { proxy_pass http://127.0.0.1:APP; } "
     "}",
     "/app/x.php"},
    {"ExpressionWithServers",
     "server { listen 8080; location / { return 403; } location ~ ^/v[0-9]+/ { proxy_pass http://127.0.0.1:APP; } }",
     "/v12/x"},
    {"HarmlessModules",
     IN_SERVER("lua_code_cache on; more_set_headers 'X: y'; brotli on; opentracing on; echo_reset_timer;")},
    {"RealAddresses", "set_real_ip_from 10.0.0.0/8; real_ip_header X-Forwarded-For; " IN_LOCATION("deny 10.0.0.1;")},
};

class OpenNginxDoor : public testing::TestWithParam<Door> {};

TEST_P(OpenNginxDoor, StaysOpen) { expect_open(GetParam(), "nginx.conf"); }

INSTANTIATE_TEST_SUITE_P(All, OpenNginxDoor, testing::ValuesIn(kOpenNginxDoors),
                         [](const auto& door) { return std::string(door.param.name); });

TEST(ImportedNginxFields, TellServersTheAddressOfTheCaller) {
  const FakeUpstream app;
  const Gateway gateway(imported_config(
      put_in_place(IN_LOCATION("proxy_set_header X-Real-IP $remote_addr;"), "APP", std::to_string(app.port())),
      "nginx.conf"));
  RawClient client(gateway.port());
  EXPECT_TRUE(client.send(request("GET", "/", "X-Real-IP: 6.6.6.6\r\n")));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(app.last().message.value("X-Real-IP"), "127.0.0.1");
}

}  // namespace
}  // namespace headgate::test
