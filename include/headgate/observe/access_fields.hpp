#pragma once
// The table of all access log fields, and the record that lines are written from. The writers, the bound on line
// length, the configuration, `headgate explain` and docs/logs.md all use this table.

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

/// The content of a line; the rows below describe each member. The views are valid during the call. Texts may come from
/// the client and contain any bytes, unless their row marks them as `ours`. Lines never have keys in clear text.
struct AccessRecord {
  std::string_view request_id, trace_id;  ///< a trace id has 32 hexadecimal digits
  boost::asio::ip::address address;
  std::string_view method, host, path;
  std::string_view query;  ///< query without '?', with credentials hidden; empty if there is none or it is not logged
  unsigned version = 11;
  unsigned status = 0;
  std::string_view grpc_status;
  std::string_view ended_by, route, upstream, server;
  std::string_view reservation;  ///< id of the reservation that was made or settled; empty if there is none
  std::string_view reason;
  unsigned attempts = 0;
  std::string_view retried;
  std::uint64_t in_bytes = 0, out_bytes = 0;
  std::string_view compressed;  ///< coding of the answer; empty if the gateway did not compress it
  std::uint64_t compressed_from = 0;
  Duration elapsed{0}, upstream_elapsed{0}, deciding{0}, delayed{0}, queued{0};
  std::string_view tls, auth;
  std::string_view descriptors;  ///< call of the rate limit service (envoy/call_text.hpp); empty if it is not logged
  std::string_view limit, tier, key, decision, source;  ///< texts about one limit; empty if no limit was checked
  std::int64_t cost = 0;
  std::int64_t held = 0;
  std::int64_t clamped = 0;    ///< maximum of output that the gateway wrote into the request; 0 if it wrote none
  std::string_view cost_from;  ///< the source of a cost from the answer; empty for other costs
  std::uint64_t remaining = 0;
  Duration retry_after{0};
  std::string_view user_agent, referer;
  /// Values that AccessLog::callers() names, in that order; empty if the caller has none.
  std::span<const std::string_view> callers;
  /// Fields of the request and the answer that the configuration names, with their log names, such as
  /// "header.x-tenant".
  std::span<const std::pair<std::string_view, std::string_view>> fields;
};

/// The fields in the order of a line.
inline constexpr auto kAccessFields = std::to_array<AccessField>({
    {.name = "ts",
     .ecs = "@timestamp",
     .value = [](const AccessLine& line) { return line.at; },
     .meaning = "end of the request"},
    {.name = "level",
     .ecs = "log.level",
     .value = [](const AccessLine&) { return std::string_view("info"); },
     .ours = true,
     .meaning = "`info`"},
    {.name = "instance",
     .ecs = "service.node.name",
     .value = [](const AccessLine& line) { return std::string_view(line.options.instance); },
     .meaning = "the gateway's `instance`"},
    {.name = "event",
     .ecs = "event.action",
     .value = [](const AccessLine&) { return std::string_view("request"); },
     .ours = true,
     .meaning = "`request`"},
    {.name = "request_id",
     .ecs = "http.request.id",
     .value = &AccessRecord::request_id,
     .meaning = "`X-Request-Id` of the answer"},
    {.name = "trace_id",
     .ecs = "trace.id",
     .text = " trace=",
     .value = &AccessRecord::trace_id,
     .empty = Empty::left_out,
     .meaning = "trace of the request, with [tracing](tracing.md)"},
    {.name = "client_ip",
     .ecs = "client.ip",
     .value = &AccessRecord::address,
     .meaning = "client address; see [identity.md](identity.md#the-address)"},
    {.name = "method",
     .ecs = "http.request.method",
     .value = &AccessRecord::method,
     .empty = Empty::left_out_in_ecs,
     .meaning = "As the caller sent it. Longer values end in `...`: the path after 4 KiB, `user_agent` after 1 KiB, "
                "others after 512 bytes."},
    {.name = "host",
     .ecs = "url.domain",
     .value = &AccessRecord::host,
     .in_ecs = [](const AccessLine& line) { return without_port(line.record.host); },
     .empty = Empty::left_out_in_ecs,
     .meaning = "As the caller sent it, in `ecs` without the port. Empty if a refused head does not have exactly one "
                "readable `Host`; `ecs` then leaves it out."},
    {.name = "path",
     .ecs = "url.path",
     .value = &AccessRecord::path,
     .empty = Empty::left_out_in_ecs,
     .most = kMaxPath,
     .meaning = "Without the query, normalised as for routes. For a refused head, method, path and route are present "
                "as far as they can be read."},
    {.name = "query",
     .ecs = "url.query",
     .value = &AccessRecord::query,
     .empty = Empty::left_out,
     .most = kMaxQuery,
     .meaning = "the query with [`log.query`](#fields-of-your-own), credentials hidden"},
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
     .meaning = "Status sent to the caller, for a [refused gRPC call](grpc.md) that of plain HTTP. Without an "
                "answer 499 if the caller closed, 444 for a [suspended caller](suspension.md#no-answer-at-all), "
                "otherwise 0 (missing in `ecs`)."},
    {.name = "grpc_status",
     .ecs = "headgate.grpc_status",
     .text = " grpc=",
     .value = &AccessRecord::grpc_status,
     .empty = Empty::left_out,
     .meaning = "status of a gRPC call, such as `OK` or `RESOURCE_EXHAUSTED`, whoever answered"},
    {.name = "ended_by",
     .ecs = "headgate.ended_by",
     .value = &AccessRecord::ended_by,
     .ours = true,
     .meaning = "who or what ended the request; see [below](#how-requests-end)"},
    {.name = "route",
     .ecs = "headgate.route",
     .value = &AccessRecord::route,
     .meaning = "name of the route; `-` if none matched"},
    {.name = "upstream",
     .ecs = "headgate.upstream",
     .value = &AccessRecord::upstream,
     .empty = Empty::left_out_in_ecs,
     .meaning = "name of the upstream; empty if no server was tried"},
    {.name = "server",
     .ecs = "headgate.server",
     .text = " server=",
     .value = &AccessRecord::server,
     .empty = Empty::left_out_in_ecs,
     .meaning = "the last server that was tried"},
    {.name = "reservation",
     .ecs = "headgate.reservation",
     .text = " reservation=",
     .value = &AccessRecord::reservation,
     .empty = Empty::left_out,
     .meaning = "the [reservation](decisions.md#settle-a-decision-afterwards) that a decision made, or that a call "
                "settled"},
    {.name = "reason",
     .ecs = "error.message",
     .text = " reason=",
     .value = &AccessRecord::reason,
     .empty = Empty::left_out,
     .meaning = "Why a request was refused as faulty (400, 408, 413, 414, 431 and others), or what failed at a server "
                "or in the gateway ([TLS](tls_servers.md#when-it-fails)). For shed requests the layer: `fleet`, "
                "`concurrency`, `queue`, `loop_lag` or `servers` ([shedding.md](shedding.md))."},
    {.name = "attempts",
     .ecs = "headgate.attempts",
     .value = &AccessRecord::attempts,
     .meaning = "attempts at servers"},
    {.name = "retried",
     .ecs = "headgate.retried",
     .text = " retried=",
     .value = &AccessRecord::retried,
     .empty = Empty::left_out,
     .meaning = "reasons for further attempts, such as `503,timeout` ([servers.md](servers.md#retries))"},
    {.name = "in_bytes",
     .ecs = "http.request.body.bytes",
     .value = &AccessRecord::in_bytes,
     .meaning = "bytes of the request body that were read"},
    {.name = "out_bytes",
     .ecs = "http.response.bytes",
     .value = &AccessRecord::out_bytes,
     .meaning = "bytes of the answer, including its head"},
    {.name = "compressed",
     .ecs = "headgate.compressed",
     .text = " compressed=",
     .value = &AccessRecord::compressed,
     .empty = Empty::left_out,
     .ours = true,
     .meaning = "coding if headgate [compressed](compression.md) the answer: `br` or `gzip`"},
    {.name = "compressed_from",
     .ecs = "headgate.compressed_from",
     .value = &AccessRecord::compressed_from,
     .applies = [](const AccessRecord& record) { return !record.compressed.empty(); },
     .meaning = "body bytes before compression"},
    {.name = "ms",
     .ecs = "event.duration",
     .value = &AccessRecord::elapsed,
     .in_ecs = [](const AccessLine& line) { return count_of(line.record.elapsed) * 1000; },
     .meaning = "milliseconds from the first byte of the request to the last of its answer; in `ecs` nanoseconds"},
    {.name = "upstream_ms",
     .ecs = "headgate.upstream_ms",
     .value = &AccessRecord::upstream_elapsed,
     .meaning = "milliseconds from the last attempt's request to the head of its answer"},
    {.name = "limits_ms",
     .ecs = "headgate.limits_ms",
     .value = &AccessRecord::deciding,
     .empty = Empty::left_out,
     .meaning = "milliseconds until the limits decided, including Redis; missing below a microsecond"},
    {.name = "delayed_ms",
     .ecs = "headgate.delayed_ms",
     .text = " delayed=",
     .value = &AccessRecord::delayed,
     .empty = Empty::left_out,
     .meaning = "milliseconds of waiting for a permit of a rate (`wait`)"},
    {.name = "queued_ms",
     .ecs = "headgate.queued_ms",
     .text = " queued=",
     .value = &AccessRecord::queued,
     .empty = Empty::left_out,
     .meaning = "milliseconds of waiting for a place at the upstream ([shedding.md](shedding.md#the-queue)) or a "
                "permit in flight ([limits.md](limits.md#a-queue-for-permits))"},
    {.name = "tls",
     .ecs = "tls.version",
     .text = " tls=",
     .value = &AccessRecord::tls,
     .empty = Empty::left_out,
     .meaning = "TLS version of the caller's connection: `1.2` or `1.3`"},
    {.name = "auth",
     .ecs = "headgate.auth",
     .text = " auth=",
     .value = &AccessRecord::auth,
     .empty = Empty::left_out,
     .meaning = "refused credential and reason, such as `jwt:expired`; [identity.md](identity.md#what-a-caller-gets) "
                "lists all"},
    {.name = "descriptors",
     .ecs = "headgate.descriptors",
     .value = &AccessRecord::descriptors,
     .empty = Empty::left_out,
     .most = kMaxCall,
     .meaning = "call of the [rate limit service](rate_limit_service.md#logs) as JSON, with "
                "[`log.descriptors`](#fields-of-your-own)"},
    {.name = "limit",
     .ecs = "headgate.limit",
     .text = " limit=",
     .value = &AccessRecord::limit,
     .of_limit = true,
     .meaning = "Limit that rejected the request, otherwise one in mode `observe` that would have, otherwise the one "
                "in the answer. The next fields describe it."},
    {.name = "tier",
     .ecs = "headgate.tier",
     .text = " tier=",
     .value = &AccessRecord::tier,
     .empty = Empty::left_out,
     .of_limit = true,
     .meaning = "size that applied, if the limit has several; `override` for an [override](overrides.md), `jwt.rpm` "
                "for a size from that claim"},
    {.name = "key_id",
     .ecs = "headgate.key_id",
     .value = [](const AccessLine& line) { return KeyId(line.record.key, *line.options.key); },
     .of_limit = true,
     .applies = [](const AccessRecord& record) { return !record.key.empty(); },
     .meaning = "Keyed digest of the counted key, 64 bits. It stays the same as long as `log.secret` does."},
    {.name = "decision",
     .ecs = "headgate.decision",
     .text = " ",
     .value = &AccessRecord::decision,
     .of_limit = true,
     .ours = true,
     .meaning =
         "`allowed`, `rejected`, `observed` (would have been rejected), or `banned` ([suspended](suspension.md))"},
    {.name = "cost",
     .ecs = "headgate.cost",
     .text = " cost=",
     .value = &AccessRecord::cost,
     .of_limit = true,
     .in_text = [](const AccessRecord& record) { return record.cost != 1; },
     .meaning = "units charged or rejected; for a cost from the answer, what the answer said"},
    {.name = "held",
     .ecs = "headgate.held",
     .value = &AccessRecord::held,
     .of_limit = true,
     .applies = [](const AccessRecord& record) { return record.held != record.cost; },
     .meaning = "units taken before the answer, if they differ from `cost`"},
    {.name = "clamped",
     .ecs = "headgate.clamped",
     .text = " clamped=",
     .value = &AccessRecord::clamped,
     .empty = Empty::left_out,
     .of_limit = true,
     .meaning = "maximum of output that was written into the request, because a [larger hold](budgets.md) did not fit"},
    {.name = "cost_from",
     .ecs = "headgate.cost_from",
     .value = &AccessRecord::cost_from,
     .empty = Empty::left_out,
     .of_limit = true,
     .ours = true,
     .meaning = "source of a [cost from the answer](budgets.md#where-the-cost-stands): `reported`, `counted` from the "
                "text that passed, or `held` (neither; the hold is charged, or nothing for an error)"},
    {.name = "remaining",
     .ecs = "headgate.remaining",
     .value = &AccessRecord::remaining,
     .of_limit = true,
     .meaning = "remaining units"},
    {.name = "retry_after_s",
     .ecs = "headgate.retry_after_s",
     .text = " retry_after=",
     .value = [](const AccessLine& line) { return seconds_up(line.record.retry_after); },
     .empty = Empty::left_out,
     .of_limit = true,
     .meaning = "seconds of `Retry-After` for a rejected caller"},
    {.name = "source",
     .ecs = "headgate.source",
     .value = &AccessRecord::source,
     .of_limit = true,
     .ours = true,
     .meaning = "`memory`, `redis`, or `fallback` (decided without Redis in an outage)"},
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
     .meaning = "number of similar lines [left out](#under-a-flood) before this one"},
});
static_assert(kAccessFields.size() < 64, "an AccessFieldSet has a bit for each");

/// Returns the index of a field; empty if no field has this name.
constexpr std::optional<std::size_t> access_field(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kAccessFields.size(); ++i)
    if (kAccessFields[i].name == name) return i;
  return std::nullopt;
}

}  // namespace headgate::observe
