#pragma once
// Every field that the line of an exchange may have, and the record that it is written of. The writers, the bound of
// their lines, the configuration, `headgate explain` and docs/logs.md are all made from this table.

#include "headgate/core/time.hpp"
#include "headgate/observe/access_field.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace headgate::observe {

/// The content of a line; the rows below say what each member means. The views are valid during the call. Texts may be
/// a caller's and hold any bytes, unless their row says that they are ours. The line has no key in clear text.
struct AccessRecord {
  std::string_view request_id, trace_id;  ///< the trace has 32 hexadecimal digits
  boost::asio::ip::address address;
  std::string_view method, host, path;
  std::string_view query;  ///< without '?', credentials hidden; empty if there is none, or it is not logged
  unsigned version = 11;
  unsigned status = 0;
  std::string_view grpc_status;
  std::string_view ended_by, route, upstream, server;
  std::string_view reason;
  unsigned attempts = 0;
  std::string_view retried;
  std::uint64_t in_bytes = 0, out_bytes = 0;
  std::string_view compressed;  ///< coding of the answer; empty if it was not compressed here
  std::uint64_t compressed_from = 0;
  Duration elapsed{0}, upstream_elapsed{0}, deciding{0}, delayed{0}, queued{0};
  std::string_view tls, auth;
  std::string_view limit, tier, key, decision, source;  ///< empty if no limit was checked
  std::int64_t cost = 0;
  std::int64_t held = 0;
  std::uint64_t remaining = 0;
  Duration retry_after{0};
  std::string_view user_agent, referer;
  /// The values that AccessLog::callers() names, in that order; empty if the caller has none.
  std::span<const std::string_view> callers;
  /// Fields of the request and the answer that the configuration names, with their words: "header.x-tenant".
  std::span<const std::pair<std::string_view, std::string_view>> fields;
};

/// In the order in which a line has them.
inline constexpr auto kAccessFields = std::to_array<AccessField>({
    {.name = "ts",
     .ecs = "@timestamp",
     .value = [](const AccessLine& line) { return line.at; },
     .meaning = "when it ended"},
    {.name = "level",
     .ecs = "log.level",
     .value = [](const AccessLine&) { return std::string_view("info"); },
     .ours = true,
     .meaning = "`info`"},
    {.name = "instance",
     .ecs = "service.node.name",
     .value = [](const AccessLine& line) { return std::string_view(line.options.instance); },
     .meaning = "which gateway"},
    {.name = "event",
     .ecs = "event.action",
     .value = [](const AccessLine&) { return std::string_view("request"); },
     .ours = true,
     .meaning = "`request`"},
    {.name = "request_id",
     .ecs = "http.request.id",
     .value = &AccessRecord::request_id,
     .meaning = "as in the answer's `X-Request-Id`"},
    {.name = "trace_id",
     .ecs = "trace.id",
     .text = " trace=",
     .value = &AccessRecord::trace_id,
     .empty = Empty::left_out,
     .meaning = "the trace that the request belongs to, with [tracing](tracing.md); else left out"},
    {.name = "client_ip",
     .ecs = "client.ip",
     .value = &AccessRecord::address,
     .meaning = "see [identity.md](identity.md#the-address)"},
    {.name = "method",
     .ecs = "http.request.method",
     .value = &AccessRecord::method,
     .empty = Empty::left_out_in_ecs,
     .meaning = "as the caller sent it. A longer value ends in `...`: the path after 4 KiB, `user_agent` after 1 "
                "KiB, the others after 512 bytes"},
    {.name = "host",
     .ecs = "url.domain",
     .value = &AccessRecord::host,
     .in_ecs = [](const AccessLine& line) { return without_port(line.record.host); },
     .empty = Empty::left_out_in_ecs,
     .meaning = "as the caller sent it, in `ecs` without its port. Empty if the head is refused and has not exactly "
                "one readable `Host`, in `ecs` then left out"},
    {.name = "path",
     .ecs = "url.path",
     .value = &AccessRecord::path,
     .empty = Empty::left_out_in_ecs,
     .most = kMaxPath,
     .meaning = "without its query, normalised as for routes and limits. If the head is refused, method, path and "
                "route are there as far as they can be read"},
    {.name = "query",
     .ecs = "url.query",
     .value = &AccessRecord::query,
     .empty = Empty::left_out,
     .most = kMaxQuery,
     .meaning = "with [`log.query`](#fields-of-your-own), its credentials hidden; else left out"},
    {.name = "proto",
     .ecs = "http.version",
     .value = [](const AccessLine& line) { return http_protocol(line.record.version); },
     .in_ecs = [](const AccessLine& line) { return http_version(line.record.version); },
     .ours = true,
     .meaning = "`HTTP/1.1`, `HTTP/2.0`; in `ecs` `1.1`, `2.0`"},
    {.name = "status",
     .ecs = "http.response.status_code",
     .value = &AccessRecord::status,
     .empty = Empty::left_out_in_ecs,
     .meaning = "written to the caller's connection, or what a [refused call of gRPC](grpc.md) would have got "
                "over plain HTTP; 499 if the caller closed it before; 444 if a [suspended "
                "caller](suspension.md#no-answer-at-all) got no answer; 0 if none was for another reason, in `ecs` "
                "then left out"},
    {.name = "grpc_status",
     .ecs = "headgate.grpc_status",
     .text = " grpc=",
     .value = &AccessRecord::grpc_status,
     .empty = Empty::left_out,
     .meaning = "of a call of gRPC, as in `OK` and `RESOURCE_EXHAUSTED`, whoever answered it; else left out"},
    {.name = "ended_by",
     .ecs = "headgate.ended_by",
     .value = &AccessRecord::ended_by,
     .ours = true,
     .meaning = "`upstream`, `respond`, `preflight`, `limit`, `ban`, `waiting_room`, `shed`, `full` (a "
                "[bound](running.md#bounds) of this gateway is reached), `circuit`, `auth`, `no_route`, `no_server`, "
                "`timeout_connect`, `timeout_upstream`, `deadline` (the one that a caller has set, of "
                "[gRPC](grpc.md) or by [`X-Request-Deadline`](shedding.md)), `timeout_client`, "
                "`client_closed`, `upstream_closed`, `too_large`, `bad_request`, `drain`, `operator` ([ended by "
                "hand](admin.md#connections-and-requests-under-way)), `bug`"},
    {.name = "route", .ecs = "headgate.route", .value = &AccessRecord::route, .meaning = "`-` if no route was found"},
    {.name = "upstream",
     .ecs = "headgate.upstream",
     .value = &AccessRecord::upstream,
     .empty = Empty::left_out_in_ecs,
     .meaning = "empty if no server was tried"},
    {.name = "server",
     .ecs = "headgate.server",
     .text = " server=",
     .value = &AccessRecord::server,
     .empty = Empty::left_out_in_ecs,
     .meaning = "the last one that was tried; else empty"},
    {.name = "reason",
     .ecs = "error.message",
     .text = " reason=",
     .value = &AccessRecord::reason,
     .empty = Empty::left_out,
     .meaning = "why a request was refused (400, 408, 413, 414, 431 and others that are the request's fault); what "
                "failed at a server or in the gateway ([TLS](tls_servers.md#when-it-fails)), or the layer that shed "
                "the request: `fleet`, `concurrency`, `queue`, `loop_lag` or `servers`, see "
                "[shedding.md](shedding.md); else left out"},
    {.name = "attempts",
     .ecs = "headgate.attempts",
     .value = &AccessRecord::attempts,
     .meaning = "how many times a server was tried"},
    {.name = "retried",
     .ecs = "headgate.retried",
     .text = " retried=",
     .value = &AccessRecord::retried,
     .empty = Empty::left_out,
     .meaning = "why there was more than one attempt, as in `503,timeout` (see [servers.md](servers.md#retries)); "
                "else left out"},
    {.name = "in_bytes",
     .ecs = "http.request.body.bytes",
     .value = &AccessRecord::in_bytes,
     .meaning = "of the request's body, as far as it was read"},
    {.name = "out_bytes",
     .ecs = "http.response.bytes",
     .value = &AccessRecord::out_bytes,
     .meaning = "of the answer, with its head"},
    {.name = "compressed",
     .ecs = "headgate.compressed",
     .text = " compressed=",
     .value = &AccessRecord::compressed,
     .empty = Empty::left_out,
     .ours = true,
     .meaning = "how headgate [compressed](compression.md) the answer: `br` or `gzip`; else left out"},
    {.name = "compressed_from",
     .ecs = "headgate.compressed_from",
     .value = &AccessRecord::compressed_from,
     .applies = [](const AccessRecord& record) { return !record.compressed.empty(); },
     .meaning = "of such an answer: the bytes of its body before"},
    {.name = "ms",
     .ecs = "event.duration",
     .value = &AccessRecord::elapsed,
     .in_ecs = [](const AccessLine& line) { return count_of(line.record.elapsed) * 1000; },
     .meaning = "from the first byte of the request to the last of its answer; in `ecs` in nanoseconds"},
    {.name = "upstream_ms",
     .ecs = "headgate.upstream_ms",
     .value = &AccessRecord::upstream_elapsed,
     .meaning = "from the last attempt's request to the head of its answer"},
    {.name = "limits_ms",
     .ecs = "headgate.limits_ms",
     .value = &AccessRecord::deciding,
     .empty = Empty::left_out,
     .meaning = "how long the limits took to decide, Redis included; left out below a microsecond"},
    {.name = "delayed_ms",
     .ecs = "headgate.delayed_ms",
     .text = " delayed=",
     .value = &AccessRecord::delayed,
     .empty = Empty::left_out,
     .meaning = "how long it waited for a permit of a rate (`wait`); else left out"},
    {.name = "queued_ms",
     .ecs = "headgate.queued_ms",
     .text = " queued=",
     .value = &AccessRecord::queued,
     .empty = Empty::left_out,
     .meaning = "how long it waited for a place at the upstream ([shedding.md](shedding.md#the-queue)) or for a "
                "permit in flight ([limits.md](limits.md#a-queue-for-permits)); else left out"},
    {.name = "tls",
     .ecs = "tls.version",
     .text = " tls=",
     .value = &AccessRecord::tls,
     .empty = Empty::left_out,
     .meaning = "the version of TLS between the caller and this gateway, `1.2` or `1.3`; without TLS left out"},
    {.name = "auth",
     .ecs = "headgate.auth",
     .text = " auth=",
     .value = &AccessRecord::auth,
     .empty = Empty::left_out,
     .meaning = "the credential that was refused, and why, as `jwt:expired`; else left out. "
                "[identity.md](identity.md#what-a-caller-gets) lists all of them"},
    {.name = "limit",
     .ecs = "headgate.limit",
     .text = " limit=",
     .value = &AccessRecord::limit,
     .of_limit = true,
     .meaning = "the limit that rejected; else one in mode `observe` that would have; else the one that the answer "
                "names. With it:"},
    {.name = "tier",
     .ecs = "headgate.tier",
     .text = " tier=",
     .value = &AccessRecord::tier,
     .empty = Empty::left_out,
     .of_limit = true,
     .meaning = "the size that applied, if the limit has several; `override`: one that an operator gave the key [for "
                "a time](admin.md#another-size-for-a-time)"},
    {.name = "key_id",
     .ecs = "headgate.key_id",
     .value = [](const AccessLine& line) { return KeyId(line.record.key, *line.options.key); },
     .of_limit = true,
     .applies = [](const AccessRecord& record) { return !record.key.empty(); },
     .meaning = "the key that was counted, as a keyed digest of 64 bits: the same for the same key as long as "
                "`log.secret` is the same"},
    {.name = "decision",
     .ecs = "headgate.decision",
     .text = " ",
     .value = &AccessRecord::decision,
     .of_limit = true,
     .ours = true,
     .meaning = "`allowed`, `rejected`, `observed` (mode `observe`: would have been rejected), or `banned` "
                "([suspended](suspension.md))"},
    {.name = "cost",
     .ecs = "headgate.cost",
     .text = " cost=",
     .value = &AccessRecord::cost,
     .of_limit = true,
     .in_text = [](const AccessRecord& record) { return record.cost != 1; },
     .meaning = "units that were charged, or rejected; of a cost that the answer says, what it said"},
    {.name = "held",
     .ecs = "headgate.held",
     .value = &AccessRecord::held,
     .of_limit = true,
     .applies = [](const AccessRecord& record) { return record.held != record.cost; },
     .meaning = "units that were taken before the answer, if they are not the `cost`"},
    {.name = "remaining",
     .ecs = "headgate.remaining",
     .value = &AccessRecord::remaining,
     .of_limit = true,
     .meaning = "units that are left"},
    {.name = "retry_after_s",
     .ecs = "headgate.retry_after_s",
     .text = " retry_after=",
     .value = [](const AccessLine& line) { return seconds_up(line.record.retry_after); },
     .empty = Empty::left_out,
     .of_limit = true,
     .meaning = "the wait that a rejected caller was told"},
    {.name = "source",
     .ecs = "headgate.source",
     .value = &AccessRecord::source,
     .of_limit = true,
     .ours = true,
     .meaning = "`memory`, `redis`, or `fallback`: decided without Redis during an outage"},
    {.name = "user_agent",
     .ecs = "user_agent.original",
     .value = &AccessRecord::user_agent,
     .empty = Empty::left_out_in_ecs,
     .most = kMaxAgent,
     .meaning = "as the caller sent it"},
    {.name = "dropped",
     .ecs = "headgate.dropped",
     .text = " dropped=",
     .value = [](const AccessLine& line) { return line.dropped; },
     .empty = Empty::left_out,
     .meaning = "how many lines like this one were [left out](#under-a-flood) before it; else left out"},
});
static_assert(kAccessFields.size() < 64, "an AccessFieldSet has a bit for each");

/// The index of a field; nothing if there is none of this name.
constexpr std::optional<std::size_t> access_field(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kAccessFields.size(); ++i)
    if (kAccessFields[i].name == name) return i;
  return std::nullopt;
}

}  // namespace headgate::observe
