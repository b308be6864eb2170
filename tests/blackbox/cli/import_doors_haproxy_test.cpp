// What keeps strangers out in HAProxy keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

#define HAPROXY(frontend, backend)                                                                              \
  "defaults\n  mode http\nfrontend web\n  bind :8080\n" frontend "  default_backend app\nbackend app\n" backend \
  "  server one 127.0.0.1:APP\nbackend other\n  server one 127.0.0.1:APP\n"
#define IN_FRONTEND(line) HAPROXY("  " line "\n", "")
#define IN_BACKEND(line) HAPROXY("", "  " line "\n")

constexpr Door kHaproxyDoors[] = {
    {"KeyThatIsMissing", IN_FRONTEND("http-request deny if !{ req.hdr(X-Api-Key) -m found }")},
    {"KeyThatIsUnknown", IN_FRONTEND("http-request deny unless { req.hdr(X-Api-Key) -f /etc/keys }")},
    {"KeyOfAMap", IN_FRONTEND("http-request deny if { req.hdr(X-Api-Key),map(/etc/keys.map,none) -m str none }")},
    {"Passwords", IN_FRONTEND("http-request auth realm x unless { http_auth(users) }")},
    {"PasswordsOfAnAcl", HAPROXY("  acl ok http_auth(users)\n  http-request auth if !ok\n", "")},
    {"PasswordsOfABackend", IN_BACKEND("http-request auth unless { http_auth(users) }")},
    {"PasswordsOfSomePaths", IN_FRONTEND("http-request auth if { path_beg /admin } !{ http_auth(users) }"), "/admin/x"},
    {"PasswordsOfPathsThatGoOn", IN_FRONTEND("http-request auth if { path_beg /admin } !{ http_auth(users) }"),
     "/adminx"},
    {"PathsForAddresses", IN_FRONTEND("http-request deny if { path_beg /admin } !{ src 10.0.0.0/8 }"), "/admin"},
    {"PathsThatAreDenied", IN_FRONTEND("http-request deny if { path_beg /admin }"), "/admin.php"},
    {"PathsThatIgnoreCase", IN_FRONTEND("http-request deny if { path_beg -i /admin }"), "/ADMIN"},
    {"PathsThatEnd", IN_FRONTEND("http-request deny if { path_end .php .cgi }"), "/a/x.php"},
    {"PathsWithin", IN_FRONTEND("http-request deny if { path_sub /.git }"), "/a/.git/config"},
    {"PathsOfAnExpression", IN_FRONTEND("http-request deny if { path_reg ^/v[0-9]+/admin }"), "/v1/admin"},
    {"PathsOfAnExpressionThatIsNone", IN_FRONTEND("http-request deny if { path_reg ^/(?!public) }"), "/private"},
    {"PathsBeforeLongerOnes",
     HAPROXY("  http-request deny if { path_end .php }\n  use_backend other if { path_beg /app/ }\n", ""),
     "/app/x.php"},
    {"MethodsBeforeLongerPaths",
     HAPROXY("  http-request deny if { method DELETE }\n  use_backend other if { path_beg /app/ }\n", ""), "/app/x", "",
     "DELETE"},
    {"PathsOfADirectory", IN_FRONTEND("http-request deny if { path_dir private }"), "/a/private/x"},
    {"Tarpit", IN_FRONTEND("http-request tarpit if { hdr(user-agent) -m sub curl }")},
    {"SilentDrop", IN_FRONTEND("http-request silent-drop if !{ ssl_c_used }")},
    {"Reject", IN_FRONTEND("http-request reject unless { req.cook(session) -m found }")},
    {"Return", IN_FRONTEND("http-request return status 401 if !{ req.cook(session) -m found }")},
    {"RedirectToLogin", IN_FRONTEND("http-request redirect location /login if !{ req.cook(session) -m found }")},
    {"RedirectOfAVariable", IN_FRONTEND("redirect location https://login.example/?%[path] if { path_beg /a/ }"),
     "/a/x"},
    {"OldBlock", IN_FRONTEND("block if !{ hdr(x-token) -m found }")},
    {"ConnectionsOfAList", IN_FRONTEND("tcp-request connection reject if !{ src -f /etc/allowed.lst }")},
    {"ConnectionsOfAddresses", IN_FRONTEND("tcp-request connection reject if !{ src 10.0.0.0/8 }")},
    {"Content", IN_FRONTEND("tcp-request content reject if !{ req.hdr(x-token) -m found }")},
    {"Addresses", IN_FRONTEND("http-request deny unless { src 10.0.0.0/8 }")},
    {"AddressesOfSeveralLists", IN_FRONTEND("http-request deny if !{ src 10.0.0.0/8 } !{ src 192.168.0.0/16 }")},
    {"AddressesOfSeveralRules",
     HAPROXY("  http-request deny unless { src 127.0.0.0/8 }\n  http-request deny unless { src 10.0.0.0/8 }\n", "")},
    {"AddressesOfAnAcl",
     HAPROXY("  acl office src 10.0.0.0/8\n  acl office src 192.168.0.0/16\n  http-request deny if !office\n", "")},
    {"AddressesThatAreDenied", IN_FRONTEND("http-request deny if { src 127.0.0.0/8 }")},
    {"AddressesThatAreDeniedSomePaths", IN_FRONTEND("http-request deny if { path_beg /admin } { src 127.0.0.1 }"),
     "/admin/x"},
    {"PathsUnlessOfAddresses",
     HAPROXY("  acl admin path_beg /admin\n  acl office src 10.0.0.0/8\n"
             "  http-request deny if admin !office\n",
             ""),
     "/admin/x"},
    {"PathsForAddressesThatGoOn", IN_FRONTEND("http-request deny if { path_beg /admin } !{ src 10.0.0.0/8 }"),
     "/adminx"},
    {"PathsForAddressesBeforeLongerOnes",
     HAPROXY("  http-request deny if { path_beg /app } !{ src 10.0.0.0/8 }\n  use_backend other if { path_beg /app/in/ "
             "}\n",
             ""),
     "/app/in/x"},
    {"PathsForAddressesOfOneHost",
     HAPROXY("  http-request deny if { path_beg /app } !{ src 10.0.0.0/8 }\n  use_backend other if { hdr(host) "
             "test.example }\n",
             ""),
     "/app/x"},
    {"PathsForAddressesAndAStatus",
     IN_FRONTEND("http-request deny deny_status 404 if { path /admin } !{ src 10.0.0.0/8 }"), "/admin"},
    {"PathsForAddressesOfAFile", IN_FRONTEND("http-request deny if { path /admin } !{ src -f /etc/office.lst }"),
     "/admin"},
    {"PathsThatAreOpenToAddresses", IN_FRONTEND("http-request deny unless { path_beg /open } { src 10.0.0.0/8 }"),
     "/open/x"},
    {"PathsOrAddresses", IN_FRONTEND("http-request deny unless { path_beg /open } or { src 10.0.0.0/8 }"), "/x"},
    {"AddressesThatMustBeInBothLists", IN_FRONTEND("http-request deny if { src 127.0.0.0/8 } !{ src 10.0.0.0/8 }"),
     "/x"},
    {"RatesAndAddresses",
     HAPROXY("  stick-table type ip size 1m store http_req_rate(10s)\n  http-request track-sc0 src\n"
             "  http-request deny if { sc_http_req_rate(0) gt 100 } or !{ src 10.0.0.0/8 }\n",
             "")},
    {"RatesThatMustBeHigh",
     HAPROXY("  stick-table type ip size 1m store http_req_rate(10s)\n  http-request track-sc0 src\n"
             "  http-request deny if !{ sc_http_req_rate(0) gt 100 }\n",
             "")},
    {"AddressesOfABackend", IN_BACKEND("http-request deny unless { src 10.0.0.0/8 }")},
    {"DeniedByABackend", IN_BACKEND("http-request deny unless { req.hdr(x-token) -m found }")},
    {"Programs", IN_FRONTEND("http-request lua.check")},
    {"Services", IN_FRONTEND("http-request use-service lua.login unless { req.cook(session) -m found }")},
    {"RulesOfOtherVersions", IN_FRONTEND("http-request verify-somehow")},
    {"Variables",
     HAPROXY("  http-request set-var(txn.ok) bool(false)\n  http-request deny unless { var(txn.ok) -m bool }\n", "")},
    {"Answers", IN_FRONTEND("http-response deny if { res.hdr(x-secret) -m found }")},
    {"BackendsThatRefuse", HAPROXY("  use_backend nothing if { hdr(user-agent) -m sub curl }\n",
                                   "") "backend nothing\n  http-request deny\n"},
    {"RulesOfDefaults",
     "defaults\n  mode http\n  http-request deny unless { req.hdr(x-token) -m found }\nfrontend web\n  bind :8080\n  "
     "default_backend app\nbackend app\n  server one 127.0.0.1:APP\n"},
    {"Certificates",
     "defaults\n  mode http\nfrontend web\n  bind :8443 ssl crt /nowhere.pem ca-file /nowhere-ca.pem verify "
     "required\n  default_backend app\nbackend app\n  server one 127.0.0.1:APP\n"},
};

class HaproxyDoor : public testing::TestWithParam<Door> {};

TEST_P(HaproxyDoor, StaysClosed) { expect_closed(GetParam(), "haproxy.cfg"); }

INSTANTIATE_TEST_SUITE_P(All, HaproxyDoor, testing::ValuesIn(kHaproxyDoors),
                         [](const auto& door) { return std::string(door.param.name); });

// So that the test above does not pass by refusing everything.
constexpr Door kOpenHaproxyDoors[] = {
    {"NothingProtects", HAPROXY("", "")},
    {"OtherPaths", IN_FRONTEND("http-request deny if { path_beg /admin }"), "/open"},
    {"PathsWithoutPasswords", IN_FRONTEND("http-request auth if { path_beg /admin } !{ http_auth(users) }"), "/open"},
    {"OtherExpressions", IN_FRONTEND("http-request deny if { path_reg ^/v[0-9]+/admin }"), "/v1/open"},
    {"AddressesThatAreLetIn", IN_FRONTEND("http-request deny unless { src 127.0.0.0/8 }")},
    {"AddressesOfSeveralListsThatAreLetIn",
     IN_FRONTEND("http-request deny if !{ src 127.0.0.0/8 } !{ src 192.168.0.0/16 }")},
    {"AddressesOfAnAclThatAreLetIn",
     HAPROXY("  acl office src 10.0.0.0/8\n  acl office src 127.0.0.1\n  http-request deny unless office\n", "")},
    {"AddressesThatAreNotDenied", IN_FRONTEND("http-request deny if { src 10.0.0.0/8 }")},
    {"PathsForAddressesThatAreLetIn", IN_FRONTEND("http-request deny if { path_beg /admin } !{ src 127.0.0.0/8 }"),
     "/admin/x"},
    {"PathsForAddressesThatAreLetInAndGoOn",
     IN_FRONTEND("http-request deny if { path_beg /admin } !{ src 127.0.0.0/8 }"), "/adminx"},
    {"OtherPathsThanThoseForAddresses", IN_FRONTEND("http-request deny if { path_beg /admin } !{ src 10.0.0.0/8 }"),
     "/open"},
    {"PathsForAddressesBeforeLongerOnesThatAreLetIn",
     HAPROXY("  http-request deny if { path_beg /app } !{ src 127.0.0.0/8 }\n  use_backend other if { path_beg "
             "/app/in/ }\n",
             ""),
     "/app/in/x"},
    {"PathsForAddressesAndAStatusThatAreLetIn",
     IN_FRONTEND("http-request deny deny_status 404 if { path /admin } !{ src 127.0.0.1 }"), "/admin"},
    {"PathsOrAddressesThatAreLetIn", IN_FRONTEND("http-request deny unless { path_beg /open } or { src 127.0.0.1 }"),
     "/x"},
    {"BackendsOfOtherAddresses", IN_FRONTEND("use_backend other if !{ src 10.0.0.0/8 }")},
    {"RatesWithExemptAddresses",
     HAPROXY("  stick-table type ip size 1m store http_req_rate(10s)\n  http-request track-sc0 src\n"
             "  http-request deny if { sc_http_req_rate(0) gt 100 } !{ src 10.0.0.0/8 }\n",
             "")},
    {"RatesThatAreAnswered",
     HAPROXY("  stick-table type ip size 1m store http_req_rate(10s)\n  http-request track-sc0 src\n"
             "  http-request return status 429 if { sc_http_req_rate(0) gt 100 }\n",
             "")},
    {"RulesThatGoOn", IN_FRONTEND("http-request set-var(txn.a) src")},
    {"BackendsOfAnExpression", IN_FRONTEND("use_backend other if { path_reg ^/v[0-9]+/ }"), "/v1/x"},
    {"BackendsOfAddresses", IN_FRONTEND("use_backend other if { src 127.0.0.0/8 }")},
};

class OpenHaproxyDoor : public testing::TestWithParam<Door> {};

TEST_P(OpenHaproxyDoor, StaysOpen) { expect_open(GetParam(), "haproxy.cfg"); }

INSTANTIATE_TEST_SUITE_P(All, OpenHaproxyDoor, testing::ValuesIn(kOpenHaproxyDoors),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
