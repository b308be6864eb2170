#include "headgate/observe/metrics_table.hpp"

#include "headgate/observe/connection_families.hpp"
#include "headgate/observe/limit_events.hpp"
#include "headgate/observe/metrics_of_bounds.hpp"
#include "headgate/observe/metrics_of_logs.hpp"
#include "headgate/observe/metrics_of_reasons.hpp"
#include "headgate/observe/server_families.hpp"

#include <algorithm>
#include <array>

namespace headgate::observe {

std::span<const Family* const> families() noexcept {
  using namespace family;
  static constexpr auto kAll = [] {
    constexpr std::array kBefore{&build_info,         &requests,
                                 &request_seconds,    &overhead_seconds,
                                 &requests_in_flight, &sent_elsewhere,
                                 &received_bytes,     &sent_bytes,
                                 &routes_counted,     &metric_series,
                                 &tls_handshakes,     &certificate_expiry,
                                 &ocsp_expiry,        &certificate_reads,
                                 &grpc_requests,      &auth,
                                 &password_checks,    &password_check_seconds,
                                 &passwords_waiting,  &key_source_up,
                                 &key_source_keys,    &key_source_reads,
                                 &key_source_time,    &limit_decisions,
                                 &limit_units};
    constexpr std::array kBehind{&limit_decision_seconds,
                                 &limit_configured,
                                 &limit_tracked,
                                 &limit_evicted,
                                 &candidate_requests,
                                 &candidate_limit_requests,
                                 &candidate_undecided,
                                 &candidate_keys,
                                 &limit_fallback,
                                 &limit_leased,
                                 &limit_known_rejections,
                                 &limit_charged,
                                 &bans_active,
                                 &bans,
                                 &bans_dropped,
                                 &ban_decisions,
                                 &overrides_active,
                                 &issued_keys,
                                 &unwritten_keys,
                                 &billing_waiting,
                                 &billing_behind,
                                 &billing_lost_requests,
                                 &billing_lost_units,
                                 &quota_notices,
                                 &quota_notices_dropped,
                                 &webhooks,
                                 &webhooks_retried,
                                 &webhooks_queued,
                                 &room_waiting,
                                 &room_inside,
                                 &room_wait_seconds,
                                 &room_admitted,
                                 &room_waits,
                                 &room_lost,
                                 &room_observed,
                                 &shed,
                                 &upstream_concurrency_limit,
                                 &upstream_in_flight,
                                 &server_in_flight,
                                 &queue_waiting,
                                 &queue_seconds,
                                 &event_loop_lag,
                                 &retries,
                                 &retry_budget_exhausted,
                                 &mirrored,
                                 &compressed,
                                 &compressed_bytes,
                                 &not_compressed,
                                 &upstream_handshakes,
                                 &upstream_requests,
                                 &upstream_seconds,
                                 &upstream_server_up,
                                 &upstream_ejections,
                                 &upstream_circuit_open,
                                 &upstream_circuit_refused,
                                 &upstream_health_checks,
                                 &limit_appointments,
                                 &limit_in_flight,
                                 &limit_remaining,
                                 &limit_wait_seconds,
                                 &redis_up,
                                 &redis_commands,
                                 &redis_command_seconds,
                                 &redis_reconnects,
                                 &gateways,
                                 &reloads,
                                 &reload_successful,
                                 &reload_time,
                                 &reason,
                                 &bound_used,
                                 &bound_limit,
                                 &log_dropped,
                                 &log_left_out,
                                 &connections_open,
                                 &connections_made,
                                 &http2_ended,
                                 &trace_spans,
                                 &trace_retries,
                                 &connections_active,
                                 &connections_refused,
                                 &connections_gave_way,
                                 &own_wants,
                                 &accept_pauses,
                                 &buffered_bytes,
                                 &process_cpu,
                                 &process_open_fds,
                                 &process_max_fds,
                                 &process_virtual,
                                 &process_resident,
                                 &process_start};
    std::array<const Family*, kBefore.size() + kLimitEvents.size() + kBehind.size()> all{};
    auto next = std::ranges::copy(kBefore, all.begin()).out;
    next = std::ranges::transform(kLimitEvents, next, [](const auto& event) { return &event.family; }).out;
    std::ranges::copy(kBehind, next);
    return all;
  }();
  return kAll;
}

}  // namespace headgate::observe
