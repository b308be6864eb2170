// What keeps strangers out in ingress-nginx keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

#define INGRESS(annotation, path)                                                                                     \
  "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: shop\n  annotations:\n    "                    \
  "nginx.ingress.kubernetes.io/" annotation "\nspec:\n  rules:\n    - http:\n        paths:\n          - path: " path \
  "\n            pathType: ImplementationSpecific\n            backend: { service: { name: localhost, port: "         \
  "{ number: APP } } }\n"

constexpr Door kIngressDoors[] = {
    {"Passwords", INGRESS("auth-type: basic", "/")},
    {"AuthService", INGRESS("auth-url: http://127.0.0.1:1/check", "/")},
    {"AuthServiceOfAVariable", INGRESS("auth-url: http://$host/check", "/")},
    {"Certificates", INGRESS("auth-tls-secret: default/ca", "/")},
    {"Snippets", INGRESS("configuration-snippet: 'if ($http_x_api_key = \"\") { return 401; }'", "/")},
    {"SnippetsOfTheServer", INGRESS("server-snippet: 'auth_basic x;'", "/")},
    {"Addresses", INGRESS("whitelist-source-range: 10.0.0.0/8", "/")},
    {"AddressesThatAreNone", INGRESS("denylist-source-range: 127.0.0.1/x", "/")},
    {"Firewalls", INGRESS("enable-modsecurity: 'true'", "/")},
    {"Unknown", INGRESS("verify-somehow: 'true'", "/")},
    {"UnknownOfAnExpression", INGRESS("auth-type: basic", "/v[0-9]+/x"), "/v1/x"},
};

class IngressDoor : public testing::TestWithParam<Door> {};

TEST_P(IngressDoor, StaysClosed) { expect_closed(GetParam(), "ingress.yaml"); }

INSTANTIATE_TEST_SUITE_P(All, IngressDoor, testing::ValuesIn(kIngressDoors),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
