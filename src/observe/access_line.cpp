#include "access_line.hpp"

#include "access_members.hpp"

namespace headgate::observe {
namespace {

/// Names, numbers, an address and a time.
constexpr std::size_t kMaxOfTheRest = 4096;

template <class Fields>
void write_limit(Members<Fields>& line, const AccessRecord& record, const LogOptions& options) noexcept {
  if (record.limit.empty()) return;
  line.template text<"limit">(record.limit);
  line.template some<"tier">(record.tier);
  if (!record.key.empty() && line.template has<"key_id">())
    line.template own<"key_id">(KeyId(record.key, *options.key).text());
  line.template own<"decision">(record.decision);
  line.template number<"cost">(count_of(record.cost));
  if (record.held != record.cost) line.template number<"held">(count_of(record.held));
  line.template number<"remaining">(record.remaining);
  if (record.retry_after.count() > 0) line.template number<"retry_after_s">(seconds_up(record.retry_after));
  line.template own<"source">(record.source);
}

template <class Fields>
void write_times(Members<Fields>& line, const AccessRecord& record) noexcept {
  line.template thousandths<"ms">(count_of(record.elapsed));
  line.template thousandths<"upstream_ms">(count_of(record.upstream_elapsed));
  if (record.deciding > Duration(0)) line.template thousandths<"limits_ms">(count_of(record.deciding));
  if (record.delayed > Duration(0)) line.template thousandths<"delayed_ms">(count_of(record.delayed));
  if (record.queued > Duration(0)) line.template thousandths<"queued_ms">(count_of(record.queued));
}

void write_callers(TextCursor& out, const AccessRecord& record, const LogOptions& options) {
  for (std::size_t i = 0; i < record.callers.size(); ++i) {
    if (record.callers[i].empty()) continue;
    out.word(",\"");
    write_json_text(out, options.callers[i]);
    out.word("\":\"");
    write_told(out, record.callers[i], kMaxWord);
    out.character('"');
  }
}

template <class Fields>
void write_json(TextCursor& out, Fields fields, const AccessRecord& record, const LogOptions& options, Instant at,
                std::uint64_t dropped) {
  char* const first = out.at();
  Members<Fields> line(out, fields);
  line.template time<"ts">(at);
  line.template own<"level">("info");
  line.template text<"instance">(options.instance);
  line.template own<"event">("request");
  line.template text<"request_id">(record.request_id);
  line.template some<"trace_id">(record.trace_id);
  line.template address<"client_ip">(record.address);
  line.template text<"method">(record.method);
  line.template text<"host">(record.host);
  line.template text<"path">(record.path, kMaxPath);
  if (!record.query.empty()) line.template text<"query">(record.query, kMaxQuery);
  line.template own<"proto">(record.version == 10 ? "HTTP/1.0" : record.version == 20 ? "HTTP/2.0" : "HTTP/1.1");
  line.template number<"status">(record.status);
  line.template some<"grpc_status">(record.grpc_status);
  line.template own<"ended_by">(record.ended_by);
  line.template text<"route">(record.route);
  line.template text<"upstream">(record.upstream);
  line.template text<"server">(record.server);
  line.template some<"reason">(record.reason);
  line.template number<"attempts">(record.attempts);
  line.template some<"retried">(record.retried);
  line.template number<"in_bytes">(record.in_bytes);
  line.template number<"out_bytes">(record.out_bytes);
  if (!record.compressed.empty()) {
    line.template own<"compressed">(record.compressed);
    line.template number<"compressed_from">(record.compressed_from);
  }
  write_times(line, record);
  line.template some<"tls">(record.tls);
  line.template some<"auth">(record.auth);
  write_limit(line, record, options);
  write_callers(out, record, options);
  write_named(out, "", record);
  line.template text<"user_agent">(record.user_agent, kMaxAgent);
  if (dropped > 0) line.template number<"dropped">(dropped);
  if (out.at() == first) out.character('{');  // none of the chosen fields applies
  *first = '{';
  out.character('}');
}

}  // namespace

std::size_t most_of(const AccessRecord& record, const LogOptions& options) noexcept {
  std::size_t told = std::min(record.path.size(), kMaxPath) + std::min(record.user_agent.size(), kMaxAgent) +
                     std::min(record.referer.size(), kMaxAgent) + std::min(record.query.size(), kMaxQuery) +
                     3 * kMaxWord;  // and those of a message
  for (const auto text : {record.request_id, record.trace_id, record.method, record.host, record.ended_by, record.route,
                          record.upstream, record.server, record.reason, record.retried, record.auth, record.limit,
                          record.tier, record.decision, record.source})
    told += std::min(text.size(), kMaxWord) + kEllipsis.size();
  for (std::size_t i = 0; i < record.callers.size(); ++i)
    told += options.callers[i].size() + std::min(record.callers[i].size(), kMaxWord) + 2 * kEllipsis.size();
  for (const auto& [word, value] : record.fields)
    told += word.size() + std::min(value.size(), kMaxNamed) + 8 * kEllipsis.size();
  return kMaxOfTheRest + kMaxJsonBytes * (told + options.instance.size());
}

void write_json_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                     std::uint64_t dropped) {
  if (options.fields == kAllAccessFields)
    write_json(out, AllFields{}, record, options, at, dropped);
  else
    write_json(out, ChosenFields{options.fields}, record, options, at, dropped);
}

void write_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                std::uint64_t dropped, Coloured coloured) {
  switch (options.format) {
    case LogFormat::json:
      return write_json_line(out, record, options, at, dropped);
    case LogFormat::text:
      return write_text_line(out, record, options, at, dropped, coloured);
    case LogFormat::combined:
      return write_combined_line(out, record, at);
    case LogFormat::ecs:
      return write_ecs_line(out, record, options, at, dropped);
  }
}

void append_json_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out,
                      std::uint64_t dropped) {
  append_text(out, most_of(record, options),
              [&](TextCursor& line) { write_json_line(line, record, options, at, dropped); });
}

}  // namespace headgate::observe
