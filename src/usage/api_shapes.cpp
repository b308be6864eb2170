#include "api_shapes.hpp"

#include <array>

namespace headgate::usage {
namespace {

// https://docs.anthropic.com/en/api/messages. A stream reports in `message_start`, under "/message", and its sums in
// `message_delta`. The reported input lacks the parts that were read from a cache or written to it. The output of
// `message_start` is left out, as it is 1 or so whatever follows.
ApiShape anthropic() {
  constexpr std::string_view kRead = "/usage/cache_read_input_tokens /message/usage/cache_read_input_tokens";
  constexpr std::string_view kWritten = "/usage/cache_creation_input_tokens /message/usage/cache_creation_input_tokens";
  return {.name = "anthropic",
          .counts = {{&Usage::input, "/usage/input_tokens /message/usage/input_tokens"},
                     {&Usage::input, kRead},
                     {&Usage::input, kWritten},
                     {&Usage::cached, kRead},
                     {&Usage::cache_written, kWritten},
                     {&Usage::cache_written_long,
                      "/usage/cache_creation/ephemeral_1h_input_tokens "
                      "/message/usage/cache_creation/ephemeral_1h_input_tokens"},
                     {&Usage::output, "/usage/output_tokens"}},
          .texts = {"/content/*/text", "/content/*/thinking", "/content/*/input/*", "/delta/text", "/delta/thinking",
                    "/delta/partial_json"},
          .most = "/max_tokens",
          .members = {{"/messages/*/role", "max_tokens"}},
          .model = "/model",
          .stream = "/stream"};
}

// https://ai.google.dev/api/generate-content. A stream without `alt=sse` is an array of answers.
ApiShape gemini() {
  return {
      .name = "gemini",
      .counts = {{&Usage::input, "/usageMetadata/promptTokenCount /*/usageMetadata/promptTokenCount"},
                 {&Usage::input, "/usageMetadata/toolUsePromptTokenCount /*/usageMetadata/toolUsePromptTokenCount"},
                 {&Usage::cached, "/usageMetadata/cachedContentTokenCount /*/usageMetadata/cachedContentTokenCount"},
                 {&Usage::output, "/usageMetadata/candidatesTokenCount /*/usageMetadata/candidatesTokenCount"},
                 {&Usage::output, "/usageMetadata/thoughtsTokenCount /*/usageMetadata/thoughtsTokenCount"},
                 {&Usage::total, "/usageMetadata/totalTokenCount /*/usageMetadata/totalTokenCount"}},
      .modalities = {{&Usage::audio_input, "/usageMetadata/promptTokensDetails"},
                     {&Usage::audio_output, "/usageMetadata/candidatesTokensDetails"}},
      .texts = {"/candidates/*/content/parts/*/text", "/candidates/*/content/parts/*/functionCall/args/*",
                "/candidates/*/content/parts/*/executableCode/code", "/*/candidates/*/content/parts/*/text",
                "/*/candidates/*/content/parts/*/functionCall/args/*",
                "/*/candidates/*/content/parts/*/executableCode/code"},
      .most =
          "/generationConfig/maxOutputTokens /generationConfig/max_output_tokens "
          "/generation_config/maxOutputTokens /generation_config/max_output_tokens",
      .alternatives =
          "/generationConfig/candidateCount /generationConfig/candidate_count "
          "/generation_config/candidateCount /generation_config/candidate_count",
      .path_model = "/models/"};
}

// https://docs.ollama.com/api. The last line of a stream has the counts, and leaves out those that are 0.
ApiShape ollama() {
  return {.name = "ollama",
          .counts = {{&Usage::input, "/prompt_eval_count"}, {&Usage::output, "/eval_count"}},
          .texts = {"/message/content", "/message/thinking", "/message/tool_calls/*/function/arguments/*", "/response",
                    "/thinking"},
          .end = "/done",
          .input_only = "/embeddings",
          .most = "/options/num_predict",
          .model = "/model",
          .stream = "/stream",
          .streams = true};
}

// https://platform.openai.com/docs/api-reference/chat, /completions and /embeddings. vLLM can report in each chunk, and
// Groq reports streams under "x_groq". "reasoning" and "reasoning_content" are two names of the same text.
ApiShape openai() {
  return {
      .name = "openai",
      .counts = {{&Usage::input, "/usage/prompt_tokens /x_groq/usage/prompt_tokens"},
                 {&Usage::cached, "/usage/prompt_tokens_details/cached_tokens /usage/prompt_cache_hit_tokens"},
                 {&Usage::cache_written, "/usage/prompt_tokens_details/cache_write_tokens"},
                 {&Usage::audio_input, "/usage/prompt_tokens_details/audio_tokens"},
                 {&Usage::output, "/usage/completion_tokens /x_groq/usage/completion_tokens"},
                 {&Usage::audio_output, "/usage/completion_tokens_details/audio_tokens"},
                 {&Usage::total, "/usage/total_tokens /x_groq/usage/total_tokens"}},
      .texts = {"/choices/*/message/content", "/choices/*/message/content/*/text", "/choices/*/message/refusal",
                "/choices/*/message/reasoning_content /choices/*/message/reasoning",
                "/choices/*/message/tool_calls/*/function/arguments", "/choices/*/message/tool_calls/*/custom/input",
                "/choices/*/message/function_call/arguments", "/choices/*/message/audio/transcript",
                "/choices/*/delta/content", "/choices/*/delta/content/*/text", "/choices/*/delta/refusal",
                "/choices/*/delta/reasoning_content /choices/*/delta/reasoning",
                "/choices/*/delta/tool_calls/*/function/arguments", "/choices/*/delta/tool_calls/*/custom/input",
                "/choices/*/delta/function_call/arguments", "/choices/*/delta/audio/transcript", "/choices/*/text"},
      .most = "/max_completion_tokens /max_tokens",
      .alternatives = "/n /best_of",
      .members = {{"/messages/*/role", "max_completion_tokens"}, {"/prompt /prompt/*", "max_tokens"}},
      .model = "/model",
      .stream = "/stream"};
}

// https://platform.openai.com/docs/api-reference/responses. A stream ends with an event that has the whole response.
ApiShape openai_responses() {
  return {.name = "openai-responses",
          .counts = {{&Usage::input, "/response/usage/input_tokens /usage/input_tokens"},
                     {&Usage::cached,
                      "/response/usage/input_tokens_details/cached_tokens /usage/input_tokens_details/cached_tokens"},
                     {&Usage::cache_written,
                      "/response/usage/input_tokens_details/cache_write_tokens "
                      "/usage/input_tokens_details/cache_write_tokens"},
                     {&Usage::output, "/response/usage/output_tokens /usage/output_tokens"},
                     {&Usage::total, "/response/usage/total_tokens /usage/total_tokens"}},
          .texts = {"/delta", "/output/*/content/*/text", "/output/*/content/*/refusal", "/output/*/summary/*/text",
                    "/output/*/arguments", "/output/*/input"},
          .most = "/max_output_tokens",
          .members = {{"/input /input/*/role", "max_output_tokens"}},
          .model = "/model",
          .stream = "/stream"};
}

}  // namespace

std::span<const ApiShape> api_shapes() {
  static const std::array kAll{anthropic(), gemini(), ollama(), openai(), openai_responses()};
  return kAll;
}

}  // namespace headgate::usage
