// Strangers whom LiteLLM's proxy keeps out are kept out by the configuration that `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::test {
namespace {

constexpr const char* kOfCaller = "Authorization: Bearer sk-a-master-key-0001\r\n";

/// One model on a server of its own, with these general settings, and these other sections.
std::string litellm_file(const std::string& general, const std::string& more = {}) {
  return "model_list:\n  - model_name: m\n    litellm_params:\n      model: hosted_vllm/m\n"
         "      api_base: http://127.0.0.1:APP/v1\n" +
         (general.empty() ? "" : "general_settings:\n" + general) + more;
}

/// The same with a master key.
std::string with_master_key(const std::string& general = {}, const std::string& more = {}) {
  return litellm_file("  master_key: sk-a-master-key-0001\n" + general, more);
}

struct LitellmDoor {
  const char* name;
  std::string text;
  const char* fields = kOfCaller;
};
void PrintTo(const LitellmDoor& door, std::ostream* out) { *out << door.name; }

const std::vector<LitellmDoor>& litellm_doors() {
  static const std::vector<LitellmDoor> kAll = {
      {"NoMasterKey", litellm_file("")},
      {"NoCredential", with_master_key(), ""},
      {"AnotherKey", with_master_key(), "Authorization: Bearer sk-another-key-00001\r\n"},
      {"KeyInAFieldOfItsOwn", with_master_key("  litellm_key_header_name: X-Litellm-Key\n")},
      {"CustomAuth", with_master_key("  custom_auth: auth.check\n")},
      {"Tokens", with_master_key("  enable_jwt_auth: true\n")},
      {"Addresses", with_master_key("  allowed_ips: [\"10.0.0.1\"]\n")},
      {"RequiredParameters", with_master_key("  enforced_params: [user]\n")},
      {"UnknownGeneralSetting", with_master_key("  something_new: true\n")},
      {"Guardrails", with_master_key("", "guardrails:\n  - guardrail_name: pii\n")},
      {"CallbackOfTheirOwn", with_master_key("", "litellm_settings:\n  callbacks: [custom.handler]\n")},
      {"UnknownSetting", with_master_key("", "litellm_settings:\n  something_new: true\n")},
      {"UnknownSection", with_master_key("", "something_new: { a: b }\n")}};
  return kAll;
}

class LitellmDoors : public testing::TestWithParam<LitellmDoor> {};

TEST_P(LitellmDoors, StayClosed) {
  const auto& door = GetParam();
  expect_closed({.name = door.name, .text = door.text.c_str(), .target = "/v1/models", .fields = door.fields},
                "config.yaml");
}

INSTANTIATE_TEST_SUITE_P(All, LitellmDoors, testing::ValuesIn(litellm_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

const std::vector<LitellmDoor>& open_litellm_doors() {
  static const std::vector<LitellmDoor> kAll = {
      {"MasterKey", with_master_key()},
      {"Reports", with_master_key("  alerting: [slack]\n", "litellm_settings:\n  callbacks: [otel]\n")},
      {"SettingsThatAreOff", with_master_key("  enable_jwt_auth: false\n")},
      {"Addresses", with_master_key("  allowed_ips: [\"127.0.0.1\"]\n")},
      {"KeyInAFieldOfItsOwn", with_master_key("  litellm_key_header_name: X-Litellm-Key\n"),
       "X-Litellm-Key: sk-a-master-key-0001\r\n"}};
  return kAll;
}

class OpenLitellmDoors : public testing::TestWithParam<LitellmDoor> {};

TEST_P(OpenLitellmDoors, StayOpen) {
  const auto& door = GetParam();
  expect_open({.name = door.name, .text = door.text.c_str(), .target = "/v1/models", .fields = door.fields},
              "config.yaml");
}

INSTANTIATE_TEST_SUITE_P(All, OpenLitellmDoors, testing::ValuesIn(open_litellm_doors()),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
