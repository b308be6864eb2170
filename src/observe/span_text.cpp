#include "span_text.hpp"

#include "observe/log/access_row.hpp"

#include "headgate/core/json_text.hpp"

#include <algorithm>
#include <array>

namespace headgate::observe {
namespace {

/// The kinds of spans, numbered as in OTLP.
enum class SpanKind : char { internal = '1', server = '2', client = '3' };

/// Additional bits of `flags` in OTLP: whether the location of the parent span is known, and whether it is remote.
constexpr unsigned kParentKnown = 0x100;
constexpr unsigned kParentRemote = 0x200;

/// Returns the method, or "_OTHER" if it is not a known one, so that the number of names is bounded.
std::string_view known_method(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 9> kKnownMethods{"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                          "CONNECT", "OPTIONS", "TRACE", "PATCH"};
  return std::find(kKnownMethods.begin(), kKnownMethods.end(), method) == kKnownMethods.end()
             ? std::string_view("_OTHER")
             : method;
}

/// Writes one span from its beginning to its end.
class SpanText {
 public:
  SpanText(std::string& out, const ExchangeSpans& of) : out_(out), of_(of) {}

  void begin(std::uint64_t id, std::uint64_t parent, bool remote, SpanKind kind) {
    out_ += out_.empty() || out_.back() == ' ' ? R"({"traceId":")" : R"(,{"traceId":")";
    const auto trace = to_traceparent(of_.context);
    out_ += trace_of(trace);
    id_member("spanId", id);
    if (parent != 0) id_member("parentSpanId", parent);
    if (!of_.state.empty()) {
      out_ += R"(","traceState":")";
      append_json_text(out_, of_.state);
    }
    const unsigned flags =
        (of_.context.sampled ? 1U : 0U) | (of_.context.random ? 2U : 0U) | kParentKnown | (remote ? kParentRemote : 0U);
    out_ += R"(","flags":)" + std::to_string(flags) + R"(,"kind":)";
    out_ += static_cast<char>(kind);
  }
  void name(std::string_view name, std::string_view rest = {}) {
    out_ += R"(,"name":")";
    append_json_text(out_, whole_characters(name, kMaxWord));
    if (!rest.empty()) out_ += ' ';
    append_json_text(out_, whole_characters(rest, kMaxWord));
    out_ += '"';
  }
  void times(Instant begun, Instant ended) {
    time_member("startTimeUnixNano", begun);
    time_member("endTimeUnixNano", std::max(begun, ended));
    out_ += R"(,"attributes":[)";
    first_ = true;
  }
  /// Appends an attribute. An empty value is left out.
  void text(std::string_view key, std::string_view value, std::size_t most = kMaxWord) {
    if (value.empty()) return;
    key_of(key);
    out_ += R"({"stringValue":")";
    append_json_text(out_, whole_characters(value, most));
    if (value.size() > most) out_ += kEllipsis;
    out_ += R"("}})";
  }
  void number(std::string_view key, std::uint64_t value) {
    key_of(key);
    out_ += R"({"intValue":")" + std::to_string(value) + R"("}})";
  }
  void end(bool failed) { out_ += failed ? R"(],"status":{"code":2}})" : "]}"; }

 private:
  void id_member(std::string_view key, std::uint64_t id) {
    const auto digits = hex_of(id);
    out_ += "\",\"";
    out_ += key;
    out_ += "\":\"";
    out_.append(digits.data(), digits.size());
  }
  void time_member(std::string_view key, Instant at) {
    out_ += ",\"";
    out_ += key;
    out_ += "\":\"" + std::to_string(at.time_since_epoch().count()) + "000\"";  // microseconds as nanoseconds
  }
  void key_of(std::string_view key) {
    out_ += first_ ? R"({"key":")" : R"(,{"key":")";
    first_ = false;
    out_ += key;
    out_ += R"(","value":)";
  }

  std::string& out_;
  const ExchangeSpans& of_;
  bool first_ = true;
};

std::string_view host_of(std::string_view authority) noexcept {
  const auto colon = authority.rfind(':');
  return colon == authority.npos || authority.ends_with(']') ? authority : authority.substr(0, colon);
}

void write_port(SpanText& span, std::string_view authority) {
  const auto host = host_of(authority);
  if (host.size() == authority.size()) return;
  std::uint64_t port = 0;
  for (const char c : authority.substr(host.size() + 1)) port = c >= '0' && c <= '9' ? port * 10 + (c - '0') : port;
  if (port > 0 && port <= 65'535) span.number("server.port", port);
}

void write_method(SpanText& span, std::string_view method) {
  const auto known = known_method(method);
  span.text("http.request.method", known);
  if (known == "_OTHER") span.text("http.request.method_original", method);
}

void write_exchange(SpanText& span, const ExchangeSpans& of) {
  const auto& record = *of.record;
  const bool failed = record.status >= 500 || record.status == 0;
  span.begin(of.id, of.begun_here ? 0 : of.context.parent, !of.begun_here, SpanKind::server);
  span.name(known_method(record.method) == "_OTHER" ? "HTTP" : record.method, of.pattern);
  span.times(of.begun, of.ended);
  write_method(span, record.method);
  span.text("http.route", of.pattern);
  span.text("url.scheme", of.scheme);
  span.text("url.path", record.path, kMaxPath);
  span.text("server.address", host_of(record.host));
  write_port(span, record.host);
  // The log says 2.0, like other servers, but the semantic conventions of OpenTelemetry require 2.
  span.text("network.protocol.version", record.version == 20 ? "2" : http_version(record.version));
  span.text("user_agent.original", record.user_agent, kMaxAgent);
  if (of.client_address) span.text("client.address", record.address.to_string());
  if (record.status != 0) span.number("http.response.status_code", record.status);
  span.text("rpc.response.status_code", record.grpc_status);
  if (failed)
    span.text("error.type", record.status != 0 ? std::to_string(record.status) : std::string(record.ended_by));
  span.text("headgate.request_id", record.request_id);
  span.text("headgate.route", record.route);
  span.text("headgate.ended_by", record.ended_by);
  if (!record.limit.empty()) {
    span.text("ratelimit.limit", record.limit);
    span.text("ratelimit.decision", record.decision);
    span.number("ratelimit.remaining", record.remaining);
  }
  span.end(failed);
}

void write_decision(SpanText& span, const ExchangeSpans& of, const DecisionSpan& decision) {
  span.begin(decision.id, of.id, false, SpanKind::internal);
  span.name("limit", decision.limit);
  span.times(decision.begun, decision.ended);
  span.text("ratelimit.limit", decision.limit);
  span.text("ratelimit.tier", decision.tier);
  span.text("ratelimit.decision", decision.decision);
  span.number("ratelimit.remaining", decision.remaining);
  span.text("ratelimit.source", decision.source);
  span.end(false);
}

void write_attempt(SpanText& span, const ExchangeSpans& of, const AttemptSpan& attempt, std::size_t number) {
  const auto& record = *of.record;
  const bool failed = attempt.status >= 400 || attempt.status == 0 || !attempt.failure.empty();
  span.begin(attempt.id, of.id, false, SpanKind::client);
  span.name(known_method(record.method) == "_OTHER" ? "HTTP" : record.method);
  span.times(attempt.begun, attempt.ended);
  write_method(span, record.method);
  span.text("server.address", host_of(attempt.server));
  write_port(span, attempt.server);
  span.text("headgate.upstream", record.upstream);
  if (number > 0) span.number("http.request.resend_count", number);
  if (attempt.status != 0) span.number("http.response.status_code", attempt.status);
  if (!attempt.failure.empty())
    span.text("error.type", attempt.failure);
  else if (failed)
    span.text("error.type", attempt.status != 0 ? std::to_string(attempt.status) : std::string("no_answer"));
  span.end(failed);
}

}  // namespace

std::size_t append_spans(const ExchangeSpans& spans, std::string& out) {
  SpanText span(out, spans);
  write_exchange(span, spans);
  for (const auto& decision : spans.decisions) write_decision(span, spans, decision);
  for (std::size_t i = 0; i < spans.attempts.size(); ++i) write_attempt(span, spans, spans.attempts[i], i);
  return 1 + spans.decisions.size() + spans.attempts.size();
}

}  // namespace headgate::observe
