// Details of the LiteLLM importer: secrets, keys, and numbers that it cannot read.

#include "imported_text.hpp"

#include <string>

namespace headgate::translate {
namespace {

class LitellmText : public ImportedText {
 protected:
  /// One model with these parameters, and these general settings.
  Translated with(const std::string& params, const std::string& general) const {
    return of("config.yaml", "model_list:\n  - model_name: m\n    litellm_params: { model: hosted_vllm/m, " + params +
                                 " }\ngeneral_settings: { " + general + " }\n");
  }
  static bool is_said(const Translated& got, Matter matter, const std::string& what) {
    return std::ranges::any_of(got.remarks,
                               [&](const Remark& each) { return each.matter == matter && each.what == what; });
  }
};

TEST_F(LitellmText, NeverCopiesASecret) {
  const auto got =
      with("api_base: \"http://10.0.0.1/v1\", api_key: sk-of-the-provider", "master_key: sk-of-the-master");
  EXPECT_EQ(got.text.find("sk-of-the"), std::string::npos) << got.text;
  EXPECT_TRUE(has(got, R"("set": { "Authorization": "Bearer ${MODEL_API_KEY}" })"));
  const auto address = with("api_base: \"http://user:sk-of-the-provider@10.0.0.1/v1\"", "master_key: a");
  EXPECT_EQ(address.text.find("sk-of-the"), std::string::npos) << address.text;
  EXPECT_TRUE(is_said(address, Matter::lost, "model m"));
}

TEST_F(LitellmText, TakesAnEmptyMasterKeyForNone) {
  for (const auto* general : {"", "master_key: \"\"", "master_key: null"}) {
    const auto got = with("api_base: \"http://10.0.0.1/v1\"", general);
    EXPECT_TRUE(is_said(got, Matter::closed, "model m")) << general;
    EXPECT_TRUE(has(got, R"("respond": { "status": 503)")) << general;
  }
}

TEST_F(LitellmText, SaysWhichNumbersItCannotRead) {
  const auto got = with("api_base: \"http://10.0.0.1/v1\", rpm: many",
                        "master_key: a, global_max_parallel_requests: 0, max_request_size_mb: 0.5");
  for (const auto* what : {"rpm", "global_max_parallel_requests", "max_request_size_mb"})
    EXPECT_TRUE(is_said(got, Matter::lost, what)) << what;
}

TEST_F(LitellmText, PassesNoKeyOfACallerToTheServer) {
  const auto got = with("api_base: \"http://10.0.0.1/v1\"", "master_key: a, litellm_key_header_name: X-Ours");
  EXPECT_TRUE(has(got, R"("request_headers": { "remove": ["X-Ours"] })"));
}

TEST_F(LitellmText, KeepsServersWithTheSameModelsTogether) {
  const auto got = of("config.yaml",
                      "model_list:\n"
                      "  - { model_name: m, litellm_params: { model: hosted_vllm/m, api_base: \"http://a:1/v1\" } }\n"
                      "  - { model_name: m, litellm_params: { model: hosted_vllm/m, api_base: \"http://b:1/v1\" } }\n"
                      "  - { model_name: n, litellm_params: { model: hosted_vllm/n, api_base: \"http://c:1/v1\" } }\n"
                      "general_settings: { master_key: a }\n");
  EXPECT_TRUE(has(got, R"("hosted_vllm": { "servers": ["http://a:1", "http://b:1"] }, "hosted_vllm-2": "http://c:1")"));
  EXPECT_TRUE(has(got, R"("path": "/hosted_vllm/v1/*")"));
  EXPECT_TRUE(has(got, R"("path": "/hosted_vllm-2/v1/*")"));
}

}  // namespace
}  // namespace headgate::translate
