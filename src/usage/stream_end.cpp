#include "headgate/usage/stream_end.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>
#include <string_view>

namespace headgate::usage {
namespace {

using scan::Found;

std::size_t add_named(scan::Pointers& to, std::string_view pointer) {
  return pointer.empty() ? scan::Pointers::kNone : to.add(*scan::parse_pointer(pointer), scan::Take::value);
}

/// Writes `"name":value,` if the stream has named the value.
void append_member(std::string& out, std::string_view name, const Found& value) {
  if (value.kind != Found::Kind::text && value.kind != Found::Kind::number) return;
  out.append("\"").append(name).append("\":");
  if (value.kind == Found::Kind::number) {
    out.append(std::to_string(value.number));
  } else {
    out += '"';
    append_json_text(out, value.text);
    out += '"';
  }
  out += ',';
}

/// The names and the scan of one stream.
struct EndingStream {
  const StreamNames& names;
  const scan::Scan& answer;
  std::int64_t alternatives;
  std::int64_t output;

  const Found& at(std::size_t index) const noexcept { return answer.found(index); }
};

/// https://platform.openai.com/docs/api-reference/chat-streaming: each alternative has a last chunk, and a line that is
/// no JSON ends the stream.
std::string end_of_openai(const EndingStream& stream) {
  const bool completion = stream.at(stream.names.object).text == "text_completion";
  std::string out = "data: {";
  append_member(out, "id", stream.at(stream.names.id));
  out.append("\"object\":\"").append(completion ? "text_completion" : "chat.completion.chunk").append("\",");
  append_member(out, "created", stream.at(stream.names.created));
  append_member(out, "model", stream.at(stream.names.model));
  out += "\"choices\":[";
  for (std::int64_t i = 0; i < stream.alternatives; ++i)
    out.append(i > 0 ? "," : "")
        .append("{\"index\":")
        .append(std::to_string(i))
        .append(completion ? R"(,"text":"")" : R"(,"delta":{})")
        .append(R"(,"logprobs":null,"finish_reason":"length"})");
  return out += "]}\n\ndata: [DONE]\n\n";
}

/// https://platform.openai.com/docs/api-reference/responses-streaming
std::string end_of_responses(const EndingStream& stream) {
  std::string out = "event: response.incomplete\ndata: {\"type\":\"response.incomplete\",\"sequence_number\":";
  out.append(std::to_string(stream.at(stream.names.position).number + 1)).append(",\"response\":{");
  append_member(out, "id", stream.at(stream.names.id));
  append_member(out, "created_at", stream.at(stream.names.created));
  append_member(out, "model", stream.at(stream.names.model));
  return out += R"("object":"response","status":"incomplete","error":null,)"
                R"("incomplete_details":{"reason":"max_output_tokens"},"output":[],"usage":null}})"
                "\n\n";
}

/// https://docs.anthropic.com/en/docs/build-with-claude/streaming: an open block is closed before the message is.
std::string end_of_anthropic(const EndingStream& stream) {
  std::string out;
  if (stream.at(stream.names.event).text != "content_block_stop" &&
      stream.at(stream.names.position).kind == Found::Kind::number)
    out.append("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":")
        .append(std::to_string(stream.at(stream.names.position).number))
        .append("}\n\n");
  out.append("event: message_delta\ndata: {\"type\":\"message_delta\",")
      .append(R"("delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":)")
      .append(std::to_string(stream.output))
      .append("}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
  return out;
}

/// https://ai.google.dev/api/generate-content with `alt=sse`
std::string end_of_gemini(const EndingStream& stream) {
  std::string out = "data: {";
  append_member(out, "responseId", stream.at(stream.names.id));
  append_member(out, "modelVersion", stream.at(stream.names.model));
  return out +=
         R"("candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"MAX_TOKENS","index":0}]})"
         "\r\n\r\n";
}

/// https://docs.ollama.com/api: the last line of /api/chat or of /api/generate
std::string end_of_ollama(const EndingStream& stream) {
  std::string out = "{";
  append_member(out, "model", stream.at(stream.names.model));
  append_member(out, "created_at", stream.at(stream.names.created));
  const bool chat = stream.at(stream.names.object).kind == Found::Kind::text;
  out += chat ? R"("message":{"role":"assistant","content":""})" : R"("response":"")";
  return out += ",\"done\":true,\"done_reason\":\"length\"}\n";
}

/// The pointers of an API's streams, and the function that writes their end.
struct StreamEndRow {
  std::string_view api;
  std::string (*end)(const EndingStream& stream);
  std::string_view id{};
  std::string_view model{};
  std::string_view created{};
  std::string_view object{};
  std::string_view event{};
  std::string_view position{};
};

constexpr StreamEndRow kStreamEnds[] = {
    {.api = "anthropic", .end = end_of_anthropic, .event = "/type", .position = "/index"},
    {.api = "gemini", .end = end_of_gemini, .id = "/responseId", .model = "/modelVersion"},
    {.api = "ollama", .end = end_of_ollama, .model = "/model", .created = "/created_at", .object = "/message/role"},
    {.api = "openai", .end = end_of_openai, .id = "/id", .model = "/model", .created = "/created", .object = "/object"},
    {.api = "openai-responses",
     .end = end_of_responses,
     .id = "/response/id",
     .model = "/response/model",
     .created = "/response/created_at",
     .position = "/sequence_number"},
};

const StreamEndRow& stream_end_of(const Provider& provider) noexcept {
  return *std::ranges::find(kStreamEnds, name_of(provider), &StreamEndRow::api);
}

}  // namespace

StreamNames add_stream_names(const Provider& provider, scan::Pointers& answer) {
  const auto& row = stream_end_of(provider);
  return {.id = add_named(answer, row.id),
          .model = add_named(answer, row.model),
          .created = add_named(answer, row.created),
          .object = add_named(answer, row.object),
          .event = add_named(answer, row.event),
          .position = add_named(answer, row.position)};
}

std::string last_events(const Provider& provider, const StreamNames& names, const scan::Scan& answer,
                        std::int64_t alternatives, std::int64_t output) {
  return stream_end_of(provider).end({names, answer, alternatives, output});
}

}  // namespace headgate::usage
