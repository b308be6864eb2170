#pragma once
// Every field that the line of an exchange may have. The writers, the configuration and a test of docs/logs.md use this
// table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::observe {

struct AccessField {
  std::string_view name;  ///< in the format `json`
  std::string_view ecs;   ///< in the format `ecs`
};

/// In the order in which a line has them.
inline constexpr auto kAccessFields = std::to_array<AccessField>({
    {"ts", "@timestamp"},
    {"level", "log.level"},
    {"instance", "service.node.name"},
    {"event", "event.action"},
    {"request_id", "http.request.id"},
    {"trace_id", "trace.id"},
    {"client_ip", "client.ip"},
    {"method", "http.request.method"},
    {"host", "url.domain"},
    {"path", "url.path"},
    {"query", "url.query"},
    {"proto", "http.version"},
    {"status", "http.response.status_code"},
    {"grpc_status", "headgate.grpc_status"},
    {"ended_by", "headgate.ended_by"},
    {"route", "headgate.route"},
    {"upstream", "headgate.upstream"},
    {"server", "headgate.server"},
    {"reason", "error.message"},
    {"attempts", "headgate.attempts"},
    {"retried", "headgate.retried"},
    {"in_bytes", "http.request.body.bytes"},
    {"out_bytes", "http.response.bytes"},
    {"compressed", "headgate.compressed"},
    {"compressed_from", "headgate.compressed_from"},
    {"ms", "event.duration"},
    {"upstream_ms", "headgate.upstream_ms"},
    {"limits_ms", "headgate.limits_ms"},
    {"delayed_ms", "headgate.delayed_ms"},
    {"queued_ms", "headgate.queued_ms"},
    {"tls", "tls.version"},
    {"auth", "headgate.auth"},
    {"limit", "headgate.limit"},
    {"tier", "headgate.tier"},
    {"key_id", "headgate.key_id"},
    {"decision", "headgate.decision"},
    {"cost", "headgate.cost"},
    {"held", "headgate.held"},
    {"remaining", "headgate.remaining"},
    {"retry_after_s", "headgate.retry_after_s"},
    {"source", "headgate.source"},
    {"user_agent", "user_agent.original"},
    {"dropped", "headgate.dropped"},
});

/// A set of fields, a bit for each index of the table.
using AccessFieldSet = std::uint64_t;
static_assert(kAccessFields.size() < 64);
inline constexpr AccessFieldSet kAllAccessFields = (AccessFieldSet{1} << kAccessFields.size()) - 1;

/// The index of a field; nothing if there is none of this name.
constexpr std::optional<std::size_t> access_field(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kAccessFields.size(); ++i)
    if (kAccessFields[i].name == name) return i;
  return std::nullopt;
}

}  // namespace headgate::observe
