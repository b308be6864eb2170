// Traces of requests over several services.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/net/tls/trust.hpp"
#include "headgate/net/url.hpp"
#include "headgate/observe/access_fields.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

constexpr Shape kTraceSample = text("a share", check_sample);
constexpr Shape kOtlpUrl = text("a URL", check_otlp_url);
constexpr Shape kOtlpHeaderValue = text("a field's value", check_otlp_header);
constexpr Shape kOtlpHeaders = map("an object of values by field name", kOtlpHeaderValue, 0, check_field_name);
constexpr Shape kServiceName = text("text", check_not_empty);
constexpr Key kTracingKeys[] = {
    {"otlp_http", &kOtlpUrl, "", R"("http://otel-collector:4318")",
     "Collector for sampled spans: OTLP/HTTP as JSON, POST to `/v1/traces`. Without it, headgate only passes traces on "
     "and logs their ids"},
    {"headers", &kOtlpHeaders, "{}", R"({ "Authorization": "Bearer ${OTLP_TOKEN}" })",
     "Fields of the export requests, for collectors with credentials"},
    {"ca", &kFilePath, "", R"("/etc/headgate/otel-ca.pem")",
     "PEM file of the trusted authorities. Default: those of the system", into<&notify::TraceOptions::ca>},
    {"timeout", &kDuration, kOfOptions, R"("10s")", "Maximum duration of an export attempt",
     into<&notify::TraceOptions::timeout>},
    {"service", &kServiceName, kOfOptions, R"("edge")", "`service.name` of the spans",
     into<&notify::TraceOptions::service>},
    {"sample", &kTraceSample, "1%", R"("1%")",
     "Share of traces that is recorded if the caller does not decide: `0%` to `100%`"},
    {"parent_based", &kBoolean, kOfOptions, "false",
     "Whether the recording decision of a trace that the caller began is kept. `false`: `sample` decides alone",
     into<&gateway::Tracing::parent_based>},
};

}  // namespace

constexpr Section kTracingSection{
    "tracing", "tracing", "Distributed tracing with `traceparent`; see [tracing.md](tracing.md).", kTracingKeys};

namespace {

constexpr std::uint32_t kDefaultSample = 10'000;  // in millionths
constexpr std::string_view kCollector = "http://otel-collector:4318";
constexpr std::string_view kSignal = "/v1/traces";

/// Appends the path for traces to the URL of a collector, unless the URL ends with that path.
void add_signal(net::Url& url) {
  if (url.target.ends_with(kSignal)) return;
  if (url.target.ends_with('/')) url.target.pop_back();
  url.target += kSignal;
}

void build_headers(Build& build, const Node* headers, std::string& out) {
  // Fields that each request to a collector already has, or that frame it.
  constexpr std::array<std::string_view, 6> kOurs{"host",       "content-type",      "content-length",
                                                  "connection", "transfer-encoding", "user-agent"};
  for (const Node* each : children(headers, Kind::object)) {
    if (each->kind != Kind::string || check_otlp_header(each->text) || check_field_name(each->key)) continue;
    if (std::find(kOurs.begin(), kOurs.end(), lower(each->key)) != kOurs.end())
      build.report.error_at_key(code::kConflict, *each, in_quotes(each->key) + " is set by headgate itself",
                                "leave it out");
    out += each->key + ": " + each->text + "\r\n";
  }
}

void check_otlp_authorities(Build& build, const Node& written) {
  const auto checked = net::check_authorities(written.text);
  if (checked.has_error())
    build.report.error(
        code::kCredentials, written,
        "the authorities file " + in_quotes(written.written) + checked.error().substr(written.text.size() + 1),
        "name a PEM file that starts with -----BEGIN CERTIFICATE-----");
}

void build_collector(Build& build, const Node& tracing) {
  const Node* written = text_at(&tracing, "otlp_http");
  if (written == nullptr) {
    for (const char* key : {"headers", "ca", "timeout", "service"})
      if (const Node* node = find(&tracing, key))
        build.report.warning_at_key(code::kNoEffect, *node,
                                    in_quotes(key) + " has no effect: no spans are sent anywhere",
                                    R"(add "otlp_http": "http://otel-collector:4318", or remove it)");
    return;
  }
  auto url = net::parse_url(written->text, kCollector);
  if (url.has_error()) return;  // reported already
  auto& out = build.config.traces.emplace();
  out.url = std::move(*url);
  add_signal(out.url);
  out.instance = build.config.instance;
  build_headers(build, find(&tracing, "headers"), out.fields);
  fill(&tracing, kTracingSection, out);
  const Node* ca = text_at(&tracing, "ca");
  if (ca == nullptr) return;
  if (out.url.scheme == net::Scheme::https) return check_otlp_authorities(build, *ca);
  build.report.warning_at_key(code::kNoEffect, *ca, "\"ca\" has no effect: \"otlp_http\" is not https://", "remove it");
}

}  // namespace

std::optional<LiteralError> check_sample(std::string_view text) {
  const auto sample = parse_sample(text);
  if (sample.has_value()) return std::nullopt;
  return sample.error();
}

std::optional<LiteralError> check_otlp_header(std::string_view text) {
  constexpr std::size_t kMaxHeader = 8192;  // a credential may be a long token
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!text.empty() && text.size() <= kMaxHeader && std::all_of(text.begin(), text.end(), printable) &&
      text.front() != ' ' && text.back() != ' ')
    return std::nullopt;
  return LiteralError{"this cannot be sent in a header field", "write 1 to 8192 printable ASCII characters"};
}

std::optional<LiteralError> check_otlp_url(std::string_view text) {
  const auto url = net::parse_url(text, kCollector);
  if (url.has_error()) return fault_and_help(url.error());
  if (url->target.find('?') == std::string::npos) return std::nullopt;
  return LiteralError{"the URL of a collector has no query", R"(write a credential into "headers")"};
}

void build_tracing(Build& build) {
  const Node* written = find(&build.root, "tracing");
  if (written == nullptr || written->kind != Kind::object) return;
  auto& out = build.config.gateway.tracing.emplace();
  auto sample = kDefaultSample;
  if (const Node* text = text_at(written, "sample"))
    if (const auto read = parse_sample(text->text); read.has_value()) sample = *read;
  out.sample_below = observe::share_below(sample);
  fill(written, kTracingSection, out);
  build_collector(build, *written);
  out.records = build.config.traces.has_value();
  const auto address = observe::AccessFieldSet{1} << *observe::access_field("client_ip");
  out.client_address = (build.config.log.fields & address) != 0;
}

}  // namespace headgate::config
