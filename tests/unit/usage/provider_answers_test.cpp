// Answers of the APIs as they look on the wire, and the usage in them. How an answer is cut into pieces changes
// nothing.

#include "headgate/scan/scan.hpp"
#include "headgate/usage/provider.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>

namespace headgate::usage {

/// Prints a usage in the messages of failed tests.
void PrintTo(const Usage& usage, std::ostream* out) {
  *out << "input " << usage.input << ", cached " << usage.cached << ", written " << usage.cache_written << " (long "
       << usage.cache_written_long << "), audio " << usage.audio_input << ", output " << usage.output << ", audio "
       << usage.audio_output << ", total " << usage.total;
}

namespace {

using scan::Form;

struct Answer {
  const char* name;
  const char* provider;
  Form form;
  std::string_view body;
  Usage usage;
  std::uint64_t text = 0;  ///< bytes of text of the model
};

constexpr Answer kAnswers[] = {
    {"OpenAiChat",
     "openai",
     Form::json,
     R"({"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion","created":1741569952,
"model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"Gr\u00fc\u00dfe!","refusal":null,
"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":2006,"completion_tokens":300,
"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":
{"reasoning_tokens":192,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},
"service_tier":"default"})",
     {.input = 2006, .cached = 1920, .audio_input = 0, .output = 300, .audio_output = 0, .total = 2306},
     8},
    {"OpenAiAudio",
     "openai",
     Form::json,
     R"({"choices":[{"index":0,"message":{"role":"assistant","content":null,"audio":{"id":"a","data":"UklGRg==",
"transcript":"yes it is"}}}],"usage":{"prompt_tokens":120,"completion_tokens":90,"total_tokens":210,
"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":100},"completion_tokens_details":{"audio_tokens":70}}})",
     {.input = 120, .cached = 0, .audio_input = 100, .output = 90, .audio_output = 70, .total = 210},
     9},
    {"OpenAiStream",
     "openai",
     Form::events,
     "data: "
     "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
     "\"content\":\"\"},\"finish_reason\":null}],\"usage\":null}\n\n"
     "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}],\"usage\":null}\n\n"
     "data: "
     "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
     "\"{\\\"a\\\":\"}}]}}],\"usage\":null}\n\n"
     "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n"
     "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29,"
     "\"prompt_tokens_details\":{\"cached_tokens\":0}}}\n\n"
     "data: [DONE]\n\n",
     {.input = 19, .cached = 0, .output = 10, .total = 29},
     10},
    {"OpenAiStreamWithoutUsage",
     "openai",
     Form::events,
     "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\r\n\r\n"
     "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\" you\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n",
     {},
     9},
    {"VllmStreamWithUsageInEachChunk",
     "openai",
     Form::events,
     "data: "
     "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":7,\"total_tokens\":8,"
     "\"completion_tokens\":1}}\n\n"
     "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"bc\"}}],\"usage\":{\"prompt_tokens\":7,"
     "\"total_tokens\":9,\"completion_tokens\":2}}\n\n",
     {.input = 7, .output = 2, .total = 9},
     3},
    {"OpenAiCompletion",
     "openai",
     Form::json,
     R"({"object":"text_completion","choices":[{"text":"abc","index":0},{"text":"de","index":1}],
"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}})",
     {.input = 5, .output = 7, .total = 12},
     5},
    {"OpenAiEmptyAnswer",
     "openai",
     Form::json,
     R"({"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}})",
     {.input = 0, .output = 0, .total = 0},
     0},
    {"OpenAiReasoningBesideTheOutput",
     "openai",
     Form::json,
     R"({"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,
"completion_tokens_details":{"reasoning_tokens":94}}})",
     {.input = 32, .output = 103, .total = 135},
     2},
    {"OpenAiReasoningUnderTwoNames",
     "openai",
     Form::events,
     "data: {\"choices\":[{\"delta\":{\"reasoning\":\"abc\",\"reasoning_content\":\"abc\"}}]}\n\n",
     {},
     3},
    {"OpenAiEmbedding",
     "openai",
     Form::json,
     R"({"object":"list","data":[{"embedding":[0.1,-0.2]}],"usage":{"prompt_tokens":8,"total_tokens":8}})",
     {.input = 8, .total = 8},
     0},
    {"OpenAiError",
     "openai",
     Form::json,
     R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":null}})",
     {},
     0},
    {"OpenAiCountsThatAreNone",
     "openai",
     Form::json,
     R"({"usage":{"prompt_tokens":-5,"completion_tokens":"7","total_tokens":null}})",
     {},
     0},
    {"ResponsesStreamThatIsIncomplete",
     "openai-responses",
     Form::events,
     "data: {\"type\":\"response.incomplete\",\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":4,"
     "\"input_tokens_details\":{\"cached_tokens\":1,\"cache_write_tokens\":2},\"total_tokens\":7}}}\n\n",
     {.input = 3, .cached = 1, .cache_written = 2, .output = 4, .total = 7},
     0},
    {"GeminiArrayOfAnswers",
     "gemini",
     Form::json,
     R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":4,"totalTokenCount":4}},
{"candidates":[{"content":{"parts":[{"text":"bc"}]}}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":6,
"totalTokenCount":10}}])",
     {.input = 4, .output = 6, .total = 10},
     3},
    {"GeminiAudio",
     "gemini",
     Form::json,
     R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"city":"Rome"}}}]}}],"usageMetadata":{
"promptTokenCount":1008,"candidatesTokenCount":5,"totalTokenCount":1013,"promptTokensDetails":[{"modality":"TEXT",
"tokenCount":8},{"modality":"AUDIO","tokenCount":1000}],"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":5}]}})",
     {.input = 1008, .audio_input = 1000, .output = 5, .audio_output = 5, .total = 1013},
     4},
    {"OllamaEmbedding",
     "ollama",
     Form::json,
     R"({"model":"all-minilm","embeddings":[[0.01,-0.002]],"total_duration":14143917,"prompt_eval_count":8})",
     {.input = 8, .output = 0, .total = 8},
     0},
    {"ResponsesJson",
     "openai-responses",
     Form::json,
     R"({"id":"resp_1","object":"response","status":"completed","output":[{"type":"message","content":[
{"type":"output_text","text":"In a peaceful grove","annotations":[]}]}],"usage":{"input_tokens":36,
"input_tokens_details":{"cached_tokens":12},"output_tokens":87,"output_tokens_details":{"reasoning_tokens":64},
"total_tokens":123}})",
     {.input = 36, .cached = 12, .output = 87, .total = 123},
     19},
    {"ResponsesStream",
     "openai-responses",
     Form::events,
     "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"usage\":null}}\n\n"
     "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n"
     "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\" there\"}\n\n"
     "event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"text\":\"Hi there\"}\n\n"
     "event: response.completed\ndata: "
     "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":[{\"content\":"
     "[{\"text\":\"Hi there\"}]}],\"usage\":{\"input_tokens\":37,\"input_tokens_details\":{\"cached_tokens\":0},"
     "\"output_tokens\":11,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":48}}}\n\n",
     {.input = 37, .cached = 0, .output = 11, .total = 48},
     8},
    {"AnthropicJson",
     "anthropic",
     Form::json,
     R"({"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm"},
{"type":"text","text":"Hi!"}],"model":"claude-sonnet-4-20250514","stop_reason":"end_turn","usage":{"input_tokens":2095,
"cache_creation_input_tokens":300,"cache_read_input_tokens":1000,"cache_creation":{"ephemeral_5m_input_tokens":200,
"ephemeral_1h_input_tokens":100},"output_tokens":503,"service_tier":"standard"}})",
     {.input = 3395, .cached = 1000, .cache_written = 300, .output = 503, .total = 3898, .cache_written_long = 100},
     5},
    {"AnthropicStream",
     "anthropic",
     Form::events,
     "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[],\"usage\":"
     "{\"input_tokens\":25,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":7,\"output_tokens\":1}}}\n\n"
     "event: content_block_start\ndata: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
     "\"text\":\"\"}}\n\n"
     "event: ping\ndata: {\"type\": \"ping\"}\n\n"
     "event: content_block_delta\ndata: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
     "\"text\":\"Hello\"}}\n\n"
     "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
     "\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n"
     "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":"
     "{\"output_tokens\":15}}\n\n"
     "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
     {.input = 32, .cached = 7, .cache_written = 0, .output = 15, .total = 47},
     7},
    {"AnthropicStreamWhoseInputGrows",
     "anthropic",
     Form::events,
     "data: "
     "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":2679,\"cache_creation_input_tokens\":0,"
     "\"cache_read_input_tokens\":0,\"output_tokens\":3}}}\n\n"
     "data: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":10682,\"cache_creation_input_tokens\":0,"
     "\"cache_read_input_tokens\":0,\"output_tokens\":510,\"server_tool_use\":{\"web_search_requests\":1}}}\n\n",
     {.input = 10682, .cached = 0, .cache_written = 0, .output = 510, .total = 11192},
     0},
    {"AnthropicStreamThatTheClientLeft",
     "anthropic",
     Form::events,
     "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello, and much "
     "more\"}}\n\n",
     {.input = 25},
     20},
    {"GeminiJson",
     "gemini",
     Form::json,
     R"({"candidates":[{"content":{"parts":[{"text":"Hello"},{"text":" you"}],"role":"model"},"finishReason":"STOP"}],
"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":12,"totalTokenCount":78,"cachedContentTokenCount":3,
"thoughtsTokenCount":53,"toolUsePromptTokenCount":5,"promptTokensDetails":[{"modality":"TEXT","tokenCount":8}]},
"modelVersion":"gemini-2.5-flash"})",
     {.input = 13, .cached = 3, .output = 65, .total = 78},
     9},
    {"GeminiStream",
     "gemini",
     Form::events,
     "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hel\"}]}}],\"usageMetadata\": "
     "{\"promptTokenCount\": 8,\"totalTokenCount\": 8}}\r\n\r\n"
     "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"lo\"}]}}],\"usageMetadata\": "
     "{\"promptTokenCount\": 8,\"candidatesTokenCount\": 2,\"totalTokenCount\": 10}}\r\n\r\n",
     {.input = 8, .output = 2, .total = 10},
     5},
    {"OllamaChat",
     "ollama",
     Form::lines,
     "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"The\"},\"done\":false}\n"
     "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\" sky\"},\"done\":false}\n"
     "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"total_duration\":"
     "4883583458,\"prompt_eval_count\":26,\"eval_count\":282}\n",
     {.input = 26, .output = 282, .total = 308},
     7},
    {"OllamaGenerate",
     "ollama",
     Form::json,
     R"({"model":"llama3.2","response":"Hi","done":true,"prompt_eval_count":26,"eval_count":3})",
     {.input = 26, .output = 3, .total = 29},
     2},
    {"OllamaCountsOfZero",
     "ollama",
     Form::json,
     R"({"model":"llama3.2","response":"","done":true,"done_reason":"load"})",
     {.input = 0, .output = 0, .total = 0},
     0},
    {"OllamaThatIsNotDone", "ollama", Form::lines, "{\"message\":{\"content\":\"The\"},\"done\":false}\n", {}, 3},
};

using Read = std::tuple<Usage, std::uint64_t, bool>;

/// Reads an answer that arrives as pieces of `size` bytes, the first of which has `first` bytes.
Read read(const Answer& answer, std::size_t first, std::size_t size) {
  const auto* const provider = find_provider(answer.provider);
  scan::Scan scan;
  scan.begin(answer_pointers(*provider), answer.form);
  auto rest = answer.body;
  for (auto length = first; !rest.empty(); length = size) {
    scan.feed(rest.substr(0, length));
    rest.remove_prefix(std::min(length, rest.size()));
  }
  scan.end();
  return {usage_in(*provider, scan), output_text_in(*provider, scan), scan.malformed()};
}

/// The tokens of a call as it is charged.
std::int64_t sum_of(const Usage& usage) {
  return std::max<std::int64_t>(usage.input, 0) + std::max<std::int64_t>(usage.output, 0);
}

class ProviderAnswers : public testing::TestWithParam<Answer> {};

TEST_P(ProviderAnswers, HaveTheirUsageWhereverTheyAreCut) {
  const auto& answer = GetParam();
  const auto size = answer.body.size();
  const Read expected{answer.usage, answer.text, false};
  ASSERT_EQ(read(answer, size, size), expected);
  for (std::size_t cut = 0; cut < size; ++cut) ASSERT_EQ(read(answer, cut, size), expected) << "cut at " << cut;
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U}) EXPECT_EQ(read(answer, piece, piece), expected) << piece;
}

TEST_P(ProviderAnswers, HaveNoMoreUsageWhenTheyEndEarly) {
  const auto& answer = GetParam();
  std::uint64_t before = 0;
  for (std::size_t length = 0; length <= answer.body.size(); ++length) {
    auto part = answer;
    part.body = answer.body.substr(0, length);
    const auto [usage, text, malformed] = read(part, length, 1);
    EXPECT_LE(sum_of(usage), sum_of(answer.usage)) << length;
    EXPECT_GE(text, before) << length;
    before = text;
  }
  EXPECT_EQ(before, answer.text);
}

INSTANTIATE_TEST_SUITE_P(Apis, ProviderAnswers, testing::ValuesIn(kAnswers),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace headgate::usage
