// Requests of the APIs: the model, the maximum of output, and whether a stream is asked for.

#include "headgate/usage/provider.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace headgate::usage {
namespace {

/// A request that has been read.
class Request {
 public:
  Request(const char* provider, const std::string& body) : provider_(*find_provider(provider)) {
    scan_.begin(request_pointers(provider_), scan::Form::json);
    scan_.feed(body);
    scan_.end();
  }

  std::optional<std::int64_t> most() const { return most_output_in(provider_, scan_); }
  AskedOutput asked() const { return asked_output_in(provider_, scan_); }
  std::string model() const { return std::string(model_in(provider_, scan_)); }
  std::optional<bool> stream() const { return stream_in(provider_, scan_); }

 private:
  const Provider& provider_;
  scan::Scan scan_;
};

std::optional<std::int64_t> most_of(const char* provider, const std::string& body) {
  return Request(provider, body).most();
}

TEST(Providers, HaveNames) {
  EXPECT_EQ(provider_names(), "anthropic, gemini, ollama, openai, openai-responses");
  EXPECT_EQ(name_of(*find_provider("gemini")), "gemini");
  EXPECT_EQ(find_provider("OpenAI"), nullptr);
  EXPECT_EQ(find_provider(""), nullptr);
}

TEST(Providers, LeaveRoomForPointersOfARoute) {
  for (const char* name : {"anthropic", "gemini", "ollama", "openai", "openai-responses"}) {
    EXPECT_LE(answer_pointers(*find_provider(name)).size(), scan::kMaxPointers - 16) << name;
    EXPECT_LE(request_pointers(*find_provider(name)).size(), scan::kMaxPointers - 48) << name;
  }
}

TEST(ProviderRequests, SayTheirMaximumOfOutput) {
  EXPECT_EQ(most_of("openai", R"({"model":"gpt-4o","max_completion_tokens":500,"messages":[]})"), 500);
  EXPECT_EQ(most_of("openai", R"({"max_tokens":100})"), 100);
  EXPECT_EQ(most_of("openai-responses", R"({"max_output_tokens":300,"max_tokens":1})"), 300);
  EXPECT_EQ(most_of("anthropic", R"({"max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":1000}})"), 1024);
  EXPECT_EQ(most_of("gemini", R"({"generationConfig":{"maxOutputTokens":800}})"), 800);
  EXPECT_EQ(most_of("gemini", R"({"generation_config":{"max_output_tokens":900}})"), 900);
  EXPECT_EQ(most_of("ollama", R"({"options":{"num_predict":42}})"), 42);
}

TEST(ProviderRequests, HaveTheLargestOfSeveralMaxima) {
  EXPECT_EQ(most_of("openai", R"({"max_completion_tokens":500,"max_tokens":900})"), 900);
  EXPECT_EQ(most_of("openai", R"({"max_completion_tokens":900,"max_tokens":null})"), 900);
}

TEST(ProviderRequests, MultiplyTheMaximumByTheirAlternatives) {
  EXPECT_EQ(most_of("openai", R"({"max_tokens":100,"n":3})"), 300);
  EXPECT_EQ(most_of("openai", R"({"max_tokens":100,"n":3,"best_of":5})"), 500);
  EXPECT_EQ(most_of("openai", R"({"max_tokens":100,"n":null})"), 100);
  EXPECT_EQ(most_of("gemini", R"({"generationConfig":{"maxOutputTokens":10,"candidateCount":4}})"), 40);
  EXPECT_EQ(most_of("anthropic", R"({"max_tokens":100,"n":3})"), 100);
  EXPECT_EQ(most_of("openai", R"({"max_tokens":900000000000000,"n":2})"), scan::kMaxNumber);
}

TEST(ProviderRequests, HaveNoMaximumIfServersCouldReadAnother) {
  for (const char* body :
       {R"({})", R"({"n":3})", R"({"max_tokens":null})", R"({"max_tokens":"100"})", R"({"max_tokens":-1})",
        R"({"max_tokens":0})", R"({"max_tokens":[1]})", R"({"max_tokens":1,"max_tokens":9})",
        R"({"max_tokens":1,"MAX_TOKENS":9})", R"({"max_tokens":1,"max_completion_tokens":"9"})",
        R"({"max_tokens":1,"n":"9"})", R"({"max_tokens":1,"n":1,"n":9})", R"({"max_tokens":1,"n":-1})"})
    EXPECT_EQ(most_of("openai", body), std::nullopt) << body;
  EXPECT_EQ(most_of("ollama", R"({"options":{"num_predict":-1}})"), std::nullopt) << "without an end";
  EXPECT_EQ(most_of("ollama", R"({"options":{"num_predict":1},"options":{"num_predict":9}})"), std::nullopt);
}

TEST(ProviderRequests, NameTheirModel) {
  EXPECT_EQ(Request("openai", R"({"messages":[{"model":"no"}],"model":"gpt-4o"})").model(), "gpt-4o");
  EXPECT_EQ(Request("anthropic", R"({"model":"claude-\u0073onnet"})").model(), "claude-sonnet");
  EXPECT_EQ(Request("openai", R"({"model":"a","model":"b"})").model(), "");
  EXPECT_EQ(Request("openai", R"({"model":"a","Model":"b"})").model(), "");
  EXPECT_EQ(Request("openai", R"({"model":7})").model(), "");
  EXPECT_EQ(Request("openai", "{}").model(), "");
  const std::string longest(scan::kMaxText, 'm');
  EXPECT_EQ(Request("openai", R"({"model":")" + longest + "\"}").model(), longest);
  EXPECT_EQ(Request("openai", R"({"model":")" + longest + "m\"}").model(), "");
}

TEST(ProviderRequests, OfGeminiNameTheirModelInThePath) {
  const auto& gemini = *find_provider("gemini");
  EXPECT_EQ(model_in_path(gemini, "/v1beta/models/gemini-2.5-pro:streamGenerateContent"), "gemini-2.5-pro");
  EXPECT_EQ(model_in_path(gemini, "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent"),
            "gemini-2.5-pro");
  EXPECT_EQ(model_in_path(gemini, "/v1beta/models/gemini-2.5-pro"), "gemini-2.5-pro");
  EXPECT_EQ(model_in_path(gemini, "/v1beta/models"), "");
  EXPECT_EQ(model_in_path(*find_provider("openai"), "/v1/models/gpt-4o"), "");
  EXPECT_EQ(Request("gemini", R"({"model":"x"})").model(), "");
}

TEST(ProviderRequests, SayWhetherTheyWantAStream) {
  EXPECT_EQ(Request("openai", R"({"stream":true})").stream(), true);
  EXPECT_EQ(Request("openai", R"({"stream":false})").stream(), false);
  EXPECT_EQ(Request("openai", R"({"stream":null})").stream(), false);
  EXPECT_EQ(Request("openai", "{}").stream(), false);
  EXPECT_EQ(Request("ollama", "{}").stream(), true) << "which is what Ollama does";
  EXPECT_EQ(Request("ollama", R"({"stream":false})").stream(), false);
  EXPECT_EQ(Request("openai", R"({"stream":"true"})").stream(), std::nullopt);
  EXPECT_EQ(Request("openai", R"({"stream":false,"stream":true})").stream(), std::nullopt);
  EXPECT_EQ(Request("gemini", R"({"stream":true})").stream(), std::nullopt);
}

TEST(ProviderRequests, SayHowManyAnswersTheyAskFor) {
  const auto asked = Request("openai", R"({"max_tokens":100,"n":3})").asked();
  EXPECT_TRUE(asked.sure);
  EXPECT_EQ(asked.most, 100);
  EXPECT_EQ(asked.alternatives, 3);
  EXPECT_EQ(Request("openai", R"({"messages":[]})").asked().most, 0);
  EXPECT_EQ(Request("openai", R"({"messages":[]})").asked().alternatives, 1);
  for (const char* body : {R"({"max_tokens":1,"max_tokens":2})", R"({"max_tokens":"9"})", R"({"max_tokens":9,"n":-1})",
                           R"({"Max_Tokens":9})"})
    EXPECT_FALSE(Request("openai", body).asked().sure) << body;
}

/// The member that may be added to this request.
std::string member_for(const char* provider, const std::string& body) {
  auto pointers = request_pointers(*find_provider(provider));
  const auto members = most_members(*find_provider(provider), pointers);
  scan::Scan scan;
  scan.begin(pointers, scan::Form::json);
  scan.feed(body);
  scan.end();
  for (const auto& each : members)
    if (scan.found(each.beside).kind == scan::Found::Kind::text) return std::string(each.member);
  return {};
}

TEST(ProviderRequests, GetTheMaximumThatTheirApiKnows) {
  const std::string messages = R"({"messages":[{"role":"user","content":"x"}]})";
  EXPECT_EQ(member_for("openai", messages), "max_completion_tokens");
  EXPECT_EQ(member_for("openai", R"({"prompt":"x"})"), "max_tokens");
  EXPECT_EQ(member_for("openai", R"({"prompt":["x","y"]})"), "max_tokens");
  EXPECT_EQ(member_for("openai", R"({"input":"x"})"), "") << "an embedding has no output";
  EXPECT_EQ(member_for("anthropic", messages), "max_tokens");
  EXPECT_EQ(member_for("openai-responses", R"({"input":"x"})"), "max_output_tokens");
  EXPECT_EQ(member_for("openai-responses", R"({"input":[{"role":"user","content":"x"}]})"), "max_output_tokens");
  EXPECT_EQ(member_for("gemini", R"({"contents":[{"role":"user"}]})"), "") << "the maximum is in a member of a member";
  EXPECT_EQ(member_for("ollama", messages), "");
}

}  // namespace
}  // namespace headgate::usage
