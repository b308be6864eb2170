// Tests of single HAProxy rules and their translations.

#include "unit/translate/imported_text.hpp"

#include <gtest/gtest.h>

namespace headgate::translate {
namespace {

class ImportedHaproxyText : public ImportedText {
 protected:
  /// Translates a frontend with these lines and the backend "app".
  Translated frontend(const std::string& lines) {
    return of("haproxy.cfg", "defaults\n  mode http\nfrontend web\n  bind :8080\n" + lines +
                                 "  default_backend app\nbackend app\n  server one 127.0.0.1:1\n");
  }
};

TEST_F(ImportedHaproxyText, GivesAPathTheAddressesThatItIsOpenTo) {
  const auto got = frontend("  http-request deny if { path_beg /admin/ } !{ src 10.0.0.0/8 192.168.1.7 }\n");
  EXPECT_TRUE(
      has(got, R"({ "path": "/admin/*", "to": "app", "addresses": { "allow": ["10.0.0.0/8", "192.168.1.7"] } })"));
  EXPECT_TRUE(got.complete()) << got.text;
}

TEST_F(ImportedHaproxyText, RefusesAllOtherAddressesWhereOneRouteIsNotForAllOfTheirRequests) {
  const auto of_a_status = frontend("  http-request deny deny_status 404 if { path /x } !{ src 128.0.0.0/1 ::/0 }\n");
  EXPECT_TRUE(has(of_a_status, R"({ "path": "/x", "client_ip": "0.0.0.0/1", "respond": { "status": 404 } })"));
  const auto of_two_routes = frontend(
      "  http-request deny if { path_beg /x/ } !{ src 128.0.0.0/2 ::/1 }\n  use_backend app if { path /x/y }\n");
  EXPECT_TRUE(
      has(of_two_routes, R"("client_ip": ["0.0.0.0/1", "192.0.0.0/2", "8000::/1"], "respond": { "status": 403 })"));
}

TEST_F(ImportedHaproxyText, ExemptsAddressesFromALimit) {
  const auto got = frontend(
      "  stick-table type ip size 1m store http_req_rate(10s)\n  http-request track-sc0 src\n"
      "  http-request deny if { sc_http_req_rate(0) gt 20 } !{ src 10.0.0.0/8 }\n");
  EXPECT_TRUE(has(got, R"("exempt": { "client_ip": ["10.0.0.0/8"] }, "count_rejected": true)"));
}

}  // namespace
}  // namespace headgate::translate
