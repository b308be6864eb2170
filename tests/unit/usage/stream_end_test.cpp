// The last events of streams that a gateway ends.

#include "headgate/usage/stream_end.hpp"

#include "headgate/usage/provider.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace headgate::usage {
namespace {

/// Returns what ends a stream of this API that began with these bytes.
std::string end_behind(std::string_view api, scan::Form form, std::string_view stream, std::int64_t alternatives = 1) {
  const auto* const provider = find_provider(api);
  auto pointers = answer_pointers(*provider);
  const auto names = add_stream_names(*provider, pointers);
  scan::Scan answer;
  answer.begin(pointers, form);
  answer.feed(stream);
  return last_events(*provider, names, answer, alternatives, 12);
}

/// Returns the documents of the events that are JSON.
std::vector<nlohmann::json> documents_of(std::string_view events) {
  std::vector<nlohmann::json> out;
  for (auto at = events.find("data: {"); at != events.npos; at = events.find("data: {", at)) {
    at += 6;
    out.push_back(nlohmann::json::parse(events.substr(at, events.find('\n', at) - at)));
  }
  return out;
}

TEST(StreamEnd, OfOpenaiNamesTheStreamAndEndsEachAlternative) {
  const auto end = end_behind(
      "openai", scan::Form::events,
      "data: "
      "{\"id\":\"chat-\\\"1\\\"\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\"}\n\n",
      2);
  const auto chunks = documents_of(end);
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].at("id"), "chat-\"1\"");
  EXPECT_EQ(chunks[0].at("created"), 1'700'000'000);
  EXPECT_EQ(chunks[0].at("choices").size(), 2U);
  EXPECT_EQ(chunks[0].at("choices")[1].at("finish_reason"), "length");
  EXPECT_TRUE(end.ends_with("\n\ndata: [DONE]\n\n"));
}

TEST(StreamEnd, OfOpenaisCompletionsHasText) {
  const auto chunks =
      documents_of(end_behind("openai", scan::Form::events, "data: {\"object\":\"text_completion\"}\n\n"));
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].at("object"), "text_completion");
  EXPECT_EQ(chunks[0].at("choices")[0].at("text"), "");
}

TEST(StreamEnd, OfResponsesIsAnIncompleteResponse) {
  const auto events =
      documents_of(end_behind("openai-responses", scan::Form::events,
                              "data: {\"type\":\"response.created\",\"sequence_number\":0,"
                              "\"response\":{\"id\":\"r\",\"model\":\"m\"}}\n\n"
                              "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":4}\n\n"));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].at("type"), "response.incomplete");
  EXPECT_EQ(events[0].at("sequence_number"), 5);
  EXPECT_EQ(events[0].at("response").at("id"), "r");
  EXPECT_EQ(events[0].at("response").at("incomplete_details").at("reason"), "max_output_tokens");
}

TEST(StreamEnd, OfAnthropicClosesTheOpenBlock) {
  const std::string open = "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"text\":\"a\"}}\n\n";
  const auto events = documents_of(end_behind("anthropic", scan::Form::events, open));
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].at("type"), "content_block_stop");
  EXPECT_EQ(events[0].at("index"), 3);
  EXPECT_EQ(events[1].at("delta").at("stop_reason"), "max_tokens");
  EXPECT_EQ(events[1].at("usage").at("output_tokens"), 12);
  EXPECT_EQ(events[2].at("type"), "message_stop");
  const auto closed = open + "data: {\"type\":\"content_block_stop\",\"index\":3}\n\n";
  EXPECT_EQ(documents_of(end_behind("anthropic", scan::Form::events, closed)).size(), 2U);
}

TEST(StreamEnd, OfGeminiHasAFinishReason) {
  const auto events = documents_of(
      end_behind("gemini", scan::Form::events, "data: {\"modelVersion\":\"g\",\"responseId\":\"i\"}\r\n\r\n"));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].at("candidates")[0].at("finishReason"), "MAX_TOKENS");
  EXPECT_EQ(events[0].at("responseId"), "i");
}

TEST(StreamEnd, OfOllamaIsALineOfTheSameKind) {
  const auto chat = nlohmann::json::parse(end_behind("ollama", scan::Form::lines,
                                                     "{\"model\":\"m\",\"created_at\":\"2026\",\"message\":{\"role\":"
                                                     "\"assistant\",\"content\":\"a\"},\"done\":false}\n"));
  EXPECT_EQ(chat.at("done_reason"), "length");
  EXPECT_EQ(chat.at("message").at("content"), "");
  const auto generated =
      nlohmann::json::parse(end_behind("ollama", scan::Form::lines, "{\"model\":\"m\",\"response\":\"a\"}\n"));
  EXPECT_EQ(generated.at("response"), "");
  EXPECT_EQ(generated.at("done"), true);
}

}  // namespace
}  // namespace headgate::usage
