#pragma once
// Every field that the line of an exchange may have. The writers, the configuration and a test of docs/logs.md use this
// table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::observe {

/// In which lines of the format `json` a field stands.
enum class Stands : std::uint8_t { always, where_it_applies };

struct AccessField {
  std::string_view name;  ///< in the format `json`
  std::string_view ecs;   ///< in the format `ecs`
  Stands stands = Stands::always;
};

/// In the order in which a line has them.
inline constexpr auto kAccessFields = std::to_array<AccessField>({
    {"ts", "@timestamp"},
    {"level", "log.level"},
    {"instance", "service.node.name"},
    {"event", "event.action"},
    {"request_id", "http.request.id"},
    {"trace_id", "trace.id", Stands::where_it_applies},
    {"client_ip", "client.ip"},
    {"method", "http.request.method"},
    {"host", "url.domain"},
    {"path", "url.path"},
    {"query", "url.query", Stands::where_it_applies},
    {"proto", "http.version"},
    {"status", "http.response.status_code"},
    {"grpc_status", "headgate.grpc_status", Stands::where_it_applies},
    {"ended_by", "headgate.ended_by"},
    {"route", "headgate.route"},
    {"upstream", "headgate.upstream"},
    {"server", "headgate.server"},
    {"reason", "error.message", Stands::where_it_applies},
    {"attempts", "headgate.attempts"},
    {"retried", "headgate.retried", Stands::where_it_applies},
    {"in_bytes", "http.request.body.bytes"},
    {"out_bytes", "http.response.bytes"},
    {"compressed", "headgate.compressed", Stands::where_it_applies},
    {"compressed_from", "headgate.compressed_from", Stands::where_it_applies},
    {"ms", "event.duration"},
    {"upstream_ms", "headgate.upstream_ms"},
    {"limits_ms", "headgate.limits_ms", Stands::where_it_applies},
    {"delayed_ms", "headgate.delayed_ms", Stands::where_it_applies},
    {"queued_ms", "headgate.queued_ms", Stands::where_it_applies},
    {"tls", "tls.version", Stands::where_it_applies},
    {"auth", "headgate.auth", Stands::where_it_applies},
    {"limit", "headgate.limit", Stands::where_it_applies},
    {"tier", "headgate.tier", Stands::where_it_applies},
    {"key_id", "headgate.key_id", Stands::where_it_applies},
    {"decision", "headgate.decision", Stands::where_it_applies},
    {"cost", "headgate.cost", Stands::where_it_applies},
    {"held", "headgate.held", Stands::where_it_applies},
    {"remaining", "headgate.remaining", Stands::where_it_applies},
    {"retry_after_s", "headgate.retry_after_s", Stands::where_it_applies},
    {"source", "headgate.source", Stands::where_it_applies},
    {"user_agent", "user_agent.original"},
    {"dropped", "headgate.dropped", Stands::where_it_applies},
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
