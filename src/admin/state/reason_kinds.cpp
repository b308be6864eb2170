#include "headgate/admin/reason_kinds.hpp"

#include "headgate/core/per_enum.hpp"

#include <array>
#include <cstddef>

namespace headgate::admin {
namespace {

using enum ReasonKind;
using enum ReasonSeverity;

constexpr ReasonRow kRows[] = {
    {.kind = starting,
     .name = "starting",
     .severity = not_ready,
     .sentence = "this gateway has not begun to serve",
     .command = "headgate events",
     .told = true},
    {.kind = draining,
     .name = "draining",
     .severity = not_ready,
     .sentence = "this gateway is draining",
     .command = "headgate connections --requests",
     .told = true},
    {.kind = needs_redis,
     .name = "needs_redis",
     .severity = not_ready,
     .sentence = "Redis does not answer, and \"unready_without_redis\" is set",
     .command = "headgate events",
     .told = true},
    {.kind = redis_lost,
     .name = "redis_lost",
     .severity = degraded,
     .sentence = "Redis does not answer",
     .command = "headgate events",
     .told = true},
    {.kind = limit_closed,
     .name = "limit_closed",
     .severity = degraded,
     .sentence = "Redis does not answer, and limit \"{}\" rejects without it",
     .command = "headgate limits",
     .told = true},
    {.kind = room_closed,
     .name = "room_closed",
     .severity = degraded,
     .sentence = "Redis does not answer, and waiting room \"{}\" admits no new callers without it",
     .command = "headgate events",
     .told = true},
    {.kind = no_server,
     .name = "no_server",
     .severity = degraded,
     .sentence = "no server of upstream \"{}\" answers",
     .command = "headgate servers"},
    {.kind = circuit_open,
     .name = "circuit_open",
     .severity = degraded,
     .sentence = "the circuit of upstream \"{}\" is open",
     .command = "headgate servers",
     .told = true},
    {.kind = shedding,
     .name = "shedding",
     .severity = degraded,
     .sentence = "requests to upstream \"{}\" are refused, because there are too many",
     .command = "headgate servers"},
    {.kind = name_unresolved,
     .name = "name_unresolved",
     .severity = degraded,
     .sentence = "the server name \"{}\" cannot be resolved",
     .command = "getent hosts {}",
     .told = true},
    {.kind = gateways_disagree,
     .name = "gateways_disagree",
     .severity = degraded,
     .sentence = "other gateways have a different configuration of limit \"{}\"",
     .command = "headgate limits"},
    {.kind = more_gateways,
     .name = "more_gateways",
     .severity = info,
     .sentence = "more gateways share Redis than \"redis.instances\" says",
     .command = "headgate config"},
    {.kind = reload_refused,
     .name = "reload_refused",
     .severity = info,
     .sentence = "the last configuration that was read was refused, and an older one is in force",
     .command = "headgate check -c FILE",
     .told = true},
    {.kind = rolled_back,
     .name = "rolled_back",
     .severity = info,
     .sentence = "an operator went back to an earlier configuration, so the file is not in force",
     .command = "headgate config --diff"},
    {.kind = promoted,
     .name = "promoted",
     .severity = info,
     .sentence = "a candidate was promoted, so the file is not in force",
     .command = "headgate config --diff"},
    {.kind = keys_refused,
     .name = "keys_refused",
     .severity = degraded,
     .sentence = "the keys of \"{}\" cannot be read, and older ones are in use",
     .command = "headgate events",
     .told = true},
    {.kind = keys_unwritten,
     .name = "keys_unwritten",
     .severity = degraded,
     .sentence = "the key file \"{}\" cannot be written, and a restart may forget keys that were issued or revoked",
     .command = "headgate keys list",
     .told = true},
    {.kind = addresses_refused,
     .name = "addresses_refused",
     .severity = degraded,
     .sentence = "the addresses in \"{}\" cannot be read, and older ones are in use",
     .command = "headgate events",
     .told = true},
    {.kind = certificate_ends,
     .name = "certificate_ends",
     .severity = info,
     .sentence = "the certificate \"{}\" expires soon",
     .command = "headgate certs",
     .told = true},
    {.kind = bound_reached,
     .name = "bound_reached",
     .severity = degraded,
     .sentence = "the bound \"{}\" is reached",
     .command = "headgate bounds"},
    {.kind = bound_near,
     .name = "bound_near",
     .severity = info,
     .sentence = "the bound \"{}\" is nearly reached",
     .command = "headgate bounds"},
    {.kind = keys_change,
     .name = "keys_change",
     .severity = info,
     .sentence = "nearly every request under limit \"{}\" has a new key, so the limit rejects nobody",
     .command = "headgate top --limit {} --by allowed"},
    {.kind = log_failing,
     .name = "log_failing",
     .severity = degraded,
     .sentence = "the {} log cannot be written",
     .command = "df -h",
     .told = true},
    {.kind = log_dropping,
     .name = "log_dropping",
     .severity = degraded,
     .sentence = "lines of the {} log are lost",
     .command = "df -h"},
    {.kind = spans_dropped,
     .name = "spans_dropped",
     .severity = info,
     .sentence = "spans are lost on their way to the collector",
     .command = "headgate events"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  return true;
}
static_assert(in_order() && std::size(kRows) == static_cast<std::size_t>(spans_dropped) + 1);

}  // namespace

std::string_view severity_text(ReasonSeverity severity) noexcept {
  static constexpr WordsUpTo<info> kWords({"not_ready", "degraded", "info"});
  return kWords[severity];
}

std::span<const ReasonRow> reason_rows() noexcept { return kRows; }

const ReasonRow& row_of(ReasonKind kind) noexcept { return kRows[static_cast<std::size_t>(kind)]; }

}  // namespace headgate::admin
