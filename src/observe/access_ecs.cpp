// Access lines under the names of the Elastic Common Schema (version 8.11), with dotted names, which Elasticsearch and
// its shippers read as nested ones.

#include "access_line.hpp"
#include "access_members.hpp"

namespace headgate::observe {
namespace {

std::string_view without_port(std::string_view host) noexcept {
  const auto colon = host.rfind(':');
  return colon == host.npos || host.ends_with(']') ? host : host.substr(0, colon);
}

/// "GET /path 200"
void write_message(TextCursor& out, const AccessRecord& record) {
  out.word(",\"message\":\"");
  write_told(out, record.method.empty() ? std::string_view("-") : record.method, kMaxWord);
  out.character(' ');
  write_told(out, record.path.empty() ? std::string_view("-") : record.path, kMaxWord);
  out.character(' ');
  out.number(record.status);
  out.character('"');
}

void write_ecs_limit(Members<AnyNames>& line, const AccessRecord& record, const LogOptions& options) {
  if (record.limit.empty()) return;
  line.text<"headgate.limit">(record.limit);
  line.some<"headgate.tier">(record.tier);
  if (!record.key.empty()) line.own<"headgate.key_id">(KeyId(record.key, *options.key).text());
  line.own<"headgate.decision">(record.decision);
  line.number<"headgate.cost">(count_of(record.cost));
  if (record.held != record.cost) line.number<"headgate.held">(count_of(record.held));
  line.number<"headgate.remaining">(record.remaining);
  if (record.retry_after.count() > 0) line.number<"headgate.retry_after_s">(seconds_up(record.retry_after));
  line.own<"headgate.source">(record.source);
}

void write_ecs_times(Members<AnyNames>& line, const AccessRecord& record) {
  line.number<"event.duration">(count_of(record.elapsed) * 1000);  // nanoseconds
  line.thousandths<"headgate.upstream_ms">(count_of(record.upstream_elapsed));
  if (record.deciding > Duration(0)) line.thousandths<"headgate.limits_ms">(count_of(record.deciding));
  if (record.delayed > Duration(0)) line.thousandths<"headgate.delayed_ms">(count_of(record.delayed));
  if (record.queued > Duration(0)) line.thousandths<"headgate.queued_ms">(count_of(record.queued));
}

/// A dot would make an object of a label.
void write_labels(TextCursor& out, const AccessRecord& record, const LogOptions& options) {
  for (std::size_t i = 0; i < record.callers.size(); ++i) {
    if (record.callers[i].empty()) continue;
    std::string name = options.callers[i];
    std::replace(name.begin(), name.end(), '.', '_');
    out.word(",\"labels.");
    write_json_text(out, name);
    out.word("\":\"");
    write_told(out, record.callers[i], kMaxWord);
    out.character('"');
  }
}

void write_ecs(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
               std::uint64_t dropped) {
  char* const first = out.at();
  Members<AnyNames> line(out, {});
  line.time<"@timestamp">(at);
  line.own<"log.level">("info");
  write_message(out, record);
  out.word(
      R"(,"ecs.version":"8.11.0","service.name":"headgate","event.kind":"event","event.dataset":"headgate.access")");
  const bool failed = record.status >= 400 || (!record.grpc_status.empty() && record.grpc_status != "OK");
  line.own<"event.outcome">(record.status == 0 ? "unknown" : failed ? "failure" : "success");
  line.text<"service.node.name">(options.instance);
  line.own<"event.action">("request");
  line.text<"http.request.id">(record.request_id);
  line.some<"trace.id">(record.trace_id);
  line.address<"client.ip">(record.address);
  line.some<"http.request.method">(record.method);
  line.some<"url.domain">(without_port(record.host));
  if (!record.path.empty()) line.text<"url.path">(record.path, kMaxPath);
  if (!record.query.empty()) line.text<"url.query">(record.query, kMaxQuery);
  line.own<"http.version">(http_version(record.version));
  if (record.status != 0) line.number<"http.response.status_code">(record.status);
  line.some<"headgate.grpc_status">(record.grpc_status);
  line.own<"headgate.ended_by">(record.ended_by);
  line.text<"headgate.route">(record.route);
  line.some<"headgate.upstream">(record.upstream);
  line.some<"headgate.server">(record.server);
  line.some<"error.message">(record.reason);
  line.number<"headgate.attempts">(record.attempts);
  line.some<"headgate.retried">(record.retried);
  line.number<"http.request.body.bytes">(record.in_bytes);
  line.number<"http.response.bytes">(record.out_bytes);
  if (!record.compressed.empty()) {
    line.own<"headgate.compressed">(record.compressed);
    line.number<"headgate.compressed_from">(record.compressed_from);
  }
  write_ecs_times(line, record);
  line.some<"tls.version">(record.tls);
  line.some<"headgate.auth">(record.auth);
  write_ecs_limit(line, record, options);
  write_labels(out, record, options);
  write_named(out, "headgate.", record);
  if (!record.user_agent.empty()) line.text<"user_agent.original">(record.user_agent, kMaxAgent);
  if (dropped > 0) line.number<"headgate.dropped">(dropped);
  *first = '{';
  out.character('}');
}

}  // namespace

void write_ecs_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                    std::uint64_t dropped) {
  write_ecs(out, record, options, at, dropped);
}

void append_ecs_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out,
                     std::uint64_t dropped) {
  append_text(out, most_of(record, options), [&](TextCursor& line) { write_ecs(line, record, options, at, dropped); });
}

}  // namespace headgate::observe
