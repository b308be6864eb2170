#include "headgate/admin/usual_endpoints.hpp"

#include "openapi.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/accept.hpp"

#include <utility>

namespace headgate::admin {
namespace {

constexpr std::string_view kOpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

AdminAnswer ready_or_not(const ReadyReport& now) {
  if (!now.unready.empty()) return {.status = 503, .body = "Not ready: " + joined(now.unready, "; ") + '.'};
  if (now.degraded.empty()) return {.body = "ready\n"};
  return {.body = "ready, but degraded: " + joined(now.degraded, "; ") + '\n'};
}

/// Returns the metrics in OpenMetrics if the caller's Accept field prefers it at least as much as plain text; otherwise
/// in Prometheus' own format.
AdminAnswer metrics_for(std::string_view accept, const observe::Registry& registry) {
  const auto open = kOpenMetrics.substr(0, kOpenMetrics.find(';'));
  if (http::names_type(accept, open) && http::quality_of(accept, open) >= http::quality_of(accept, "text/plain"))
    return {.body = registry.open_metrics(), .type = kOpenMetrics};
  return {.body = registry.text(), .type = kMetricsText};
}

/// The endpoints of every gateway. Container probes have no token, so the answer to them is only yes or no.
std::vector<AdminEndpoint> usual_endpoints(observe::Registry& registry, const std::function<ReadyReport()>& ready) {
  using enum AdminEndpoint::For;
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET",
                 .path = "/metrics",
                 .who = those_allowed,
                 .answer = [&registry](const AdminCall& call) { return metrics_for(call.accept, registry); },
                 .about = {.summary = "Metrics for Prometheus"}});
  out.push_back({.method = "GET",
                 .path = "/healthz",
                 .who = all,
                 .answer = [](const AdminCall&) { return AdminAnswer{.body = "ok\n"}; },
                 .about = {.summary = "Whether the process is alive"}});
  out.push_back({.method = "GET",
                 .path = "/readyz",
                 .who = all,
                 .answer = [&ready](const AdminCall&) { return ready_or_not(ready()); },
                 .about = {.summary = "Whether this gateway should get new requests"}});
  return out;
}

}  // namespace

AllEndpoints::AllEndpoints(observe::Registry& registry, std::function<ReadyReport()> ready,
                           std::vector<AdminEndpoint> more)
    : ready_(std::move(ready)), rows_(usual_endpoints(registry, ready_)) {
  for (auto& each : more) rows_.push_back(std::move(each));
  rows_.push_back(openapi_endpoint(rows_));
}

}  // namespace headgate::admin
