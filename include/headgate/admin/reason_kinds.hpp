#pragma once
// What can be wrong with a gateway that runs: one row for each kind of reason that status, events, /readyz, metrics,
// alerts and `explain` tell.

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::admin {

/// What is wrong. A row of reason_rows() for each, in this order.
enum class ReasonKind : std::uint8_t {
  starting,
  draining,
  needs_redis,
  redis_lost,
  limit_closed,
  room_closed,
  no_server,
  circuit_open,
  shedding,
  name_unresolved,
  gateways_disagree,
  more_gateways,
  reload_refused,
  rolled_back,
  promoted,
  keys_refused,
  keys_unwritten,
  addresses_refused,
  certificate_ends,
  bound_reached,
  bound_near,
  keys_change,
  log_failing,
  log_dropping,
  spans_dropped
};

/// How bad it is, for GET /readyz and the state in GET /api/v1/status.
enum class ReasonSeverity : std::uint8_t {
  not_ready,  ///< 503: this gateway should get no new requests
  degraded,   ///< requests fail, or are decided worse than configured; other gateways would not do better
  info        ///< nothing fails yet
};
std::string_view severity_text(ReasonSeverity severity) noexcept;

/// One kind. In `sentence` and `command`, {} stands for the subject.
struct ReasonRow {
  ReasonKind kind = ReasonKind::starting;
  std::string_view name;  ///< in metrics and the API; never changes
  ReasonSeverity severity = ReasonSeverity::degraded;
  std::string_view sentence;  ///< without its dot
  std::string_view command;   ///< what to type first; empty: nothing
  /// Whether another event says already that it began or ended, so that Reasons reports none.
  bool told = false;
};

std::span<const ReasonRow> reason_rows() noexcept;
const ReasonRow& row_of(ReasonKind kind) noexcept;

}  // namespace headgate::admin
