// Traces of requests over several services.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kTraceSample = text("a share", check_sample);
constexpr Shape kOtlpUrl = text("a URL", check_otlp_url);
constexpr Shape kOtlpHeaderValue = text("a field's value", check_otlp_header);
constexpr Shape kOtlpHeaders = map("an object of values by field name", kOtlpHeaderValue, 0, check_field_name);
constexpr Shape kServiceName = text("text", check_not_empty);
constexpr Key kTracingKeys[] = {
    {"otlp_http", &kOtlpUrl, "", R"("http://otel-collector:4318")",
     "Where the spans of sampled traces are sent: OTLP over HTTP, as JSON, with POST to `/v1/traces` there. Without it "
     "headgate passes traces on and logs their ids"},
    {"headers", &kOtlpHeaders, "{}", R"({ "Authorization": "Bearer ${OTLP_TOKEN}" })",
     "Fields of these requests, for collectors that want a credential"},
    {"ca", &kFilePath, "", R"("/etc/headgate/otel-ca.pem")",
     "PEM file of the trusted certificate authorities; default: those of the system"},
    {"timeout", &kDuration, "10s", R"("10s")", "Of one attempt"},
    {"service", &kServiceName, "headgate", R"("edge")", "`service.name` of the spans"},
    {"sample", &kTraceSample, "1%", R"("1%")",
     "The share of traces that is recorded, where the caller does not say: `0%` to `100%`, as in `0.1%`"},
    {"parent_based", &kBoolean, "true", "false",
     "Whether a request that belongs to a trace already is recorded if its caller records it; `false`: `sample` "
     "decides "
     "alone"},
};

}  // namespace

constexpr Section kTracingSection{"tracing", "tracing",
                                  "Requests are parts of traces (`traceparent`); see docs/tracing.md.", kTracingKeys};

}  // namespace headgate::config
