#pragma once
// The kinds of problems that a running gateway reports in its status, events, /readyz, metrics, alerts and `explain`.

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::admin {

/// The kind of a problem. reason_rows() has a row for each, in this order.
enum class ReasonKind : std::uint8_t {
  starting,
  draining,
  needs_redis,
  redis_lost,
  limit_closed,
  room_closed,
  settling_behind,
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
  prices_refused,
  certificate_ends,
  bound_reached,
  bound_near,
  keys_change,
  log_failing,
  log_dropping,
  spans_dropped
};

/// The severity of a problem, for GET /readyz and the state in GET /api/v1/status.
enum class ReasonSeverity : std::uint8_t {
  not_ready,  ///< /readyz answers 503: this gateway should get no new requests.
  degraded,   ///< Requests fail, or are decided less exactly than configured; other gateways would do no better.
  info        ///< Nothing fails yet.
};
std::string_view severity_text(ReasonSeverity severity) noexcept;

/// One kind of problem. In `sentence` and `command`, {} stands for the subject.
struct ReasonRow {
  ReasonKind kind = ReasonKind::starting;
  std::string_view name;  ///< Name in metrics and the API; never changes.
  ReasonSeverity severity = ReasonSeverity::degraded;
  std::string_view sentence;  ///< Sentence about the problem, without its full stop.
  std::string_view command;   ///< The command to try first; may be empty.
  /// True if another event already reports that the problem begins or ends, so that Reasons reports no event.
  bool told = false;
};

std::span<const ReasonRow> reason_rows() noexcept;
const ReasonRow& row_of(ReasonKind kind) noexcept;

}  // namespace headgate::admin
