#pragma once
// Metrics of data that gateways share: limits in Redis, suspensions, overrides, issued API keys, billed usage, and
// webhooks.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family limit_fallback{.name = "headgate_limit_fallback_active",
                                       .type = Type::gauge,
                                       .labels = {"limit"},
                                       .help = "1 while a limit in Redis is decided without Redis, otherwise 0",
                                       .ask = "max by (limit) (headgate_limit_fallback_active) == 1"};
inline constexpr Family limit_leased{.name = "headgate_limit_leased_total",
                                     .type = Type::counter,
                                     .labels = {},
                                     .help = "Decisions with leased permits, without a call to Redis",
                                     .ask = "rate(headgate_limit_leased_total[5m])"};
inline constexpr Family limit_known_rejections{
    .name = "headgate_limit_known_rejections_total",
    .type = Type::counter,
    .labels = {},
    .help = "Requests rejected without a call to Redis, because the rejection was known",
    .ask = "rate(headgate_limit_known_rejections_total[5m])"};
inline constexpr Family limit_charged{.name = "headgate_limit_charged_total",
                                      .type = Type::counter,
                                      .labels = {},
                                      .help = "Units allowed during an outage of Redis and charged to it afterwards",
                                      .ask = "increase(headgate_limit_charged_total[1h])"};
inline constexpr Family settlements_waiting{
    .name = "headgate_limit_settlements_waiting",
    .type = Type::gauge,
    .labels = {},
    .help = "Charges and give-backs of finished requests that Redis has not counted yet",
    .ask = "headgate_limit_settlements_waiting > 1000"};
inline constexpr Family settlements_behind{.name = "headgate_limit_settlements_behind_seconds",
                                           .type = Type::gauge,
                                           .labels = {},
                                           .help = "Time that the oldest of them has waited for Redis",
                                           .ask = "headgate_limit_settlements_behind_seconds > 30"};
inline constexpr Family settlements_lost{
    .name = "headgate_limit_settlements_lost_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Charges and give-backs that were lost in an outage of Redis",
    .ask = "sum by (limit) (increase(headgate_limit_settlements_lost_total[1h])) > 0"};
inline constexpr Family bans_active{.name = "headgate_bans_active",
                                    .type = Type::gauge,
                                    .labels = {"limit"},
                                    .help = "Suspended keys, as far as this gateway knows",
                                    .ask = "max by (limit) (headgate_bans_active)"};
inline constexpr Family bans{.name = "headgate_bans_total",
                             .type = Type::counter,
                             .labels = {"limit", "reason"},
                             .help = "Suspensions that began on this gateway",
                             .ask = "sum by (limit) (increase(headgate_bans_total[1h]))"};
inline constexpr Family bans_dropped{
    .name = "headgate_bans_dropped_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Suspensions dropped early by this gateway because their limit exceeded its share of the table",
    .ask = "sum by (limit) (increase(headgate_bans_dropped_total[1h]))"};
inline constexpr Family ban_decisions{
    .name = "headgate_ban_decisions_total",
    .type = Type::counter,
    .labels = {"limit", "decision"},
    .help = "Requests of suspended keys: refused, or observed if the limit only observes",
    .ask = "sum by (limit) (rate(headgate_ban_decisions_total{decision=\"refused\"}[5m]))"};
inline constexpr Family overrides_active{.name = "headgate_overrides_active",
                                         .type = Type::gauge,
                                         .labels = {"limit"},
                                         .help = "Keys with an operator's override, as far as this gateway knows",
                                         .ask = "max by (limit) (headgate_overrides_active)"};
inline constexpr Family issued_keys{
    .name = "headgate_issued_keys",
    .type = Type::gauge,
    .labels = {"kind"},
    .help = "API keys issued by gateways, as far as this one knows: live, or revoked and still remembered",
    .ask = "max by (kind) (headgate_issued_keys)"};
inline constexpr Family unwritten_keys{.name = "headgate_unwritten_keys",
                                       .type = Type::gauge,
                                       .labels = {},
                                       .help = "Issued or revoked API keys not yet in this gateway's key file",
                                       .ask = "headgate_unwritten_keys > 0"};
inline constexpr Family billing_waiting{.name = "headgate_billing_waiting_keys",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Keys whose billed use is not yet in Redis",
                                        .ask = "headgate_billing_waiting_keys"};
inline constexpr Family billing_behind{.name = "headgate_billing_behind_seconds",
                                       .type = Type::gauge,
                                       .labels = {},
                                       .help = "Time that billed use has waited for Redis",
                                       .ask = "headgate_billing_behind_seconds > 60"};
inline constexpr Family billing_lost_requests{
    .name = "headgate_billing_lost_requests_total",
    .type = Type::counter,
    .labels = {},
    .help = "Requests missing from all reports, because too many keys were used",
    .ask = "increase(headgate_billing_lost_requests_total[1h]) > 0"};
inline constexpr Family billing_lost_units{.name = "headgate_billing_lost_units_total",
                                           .type = Type::counter,
                                           .labels = {},
                                           .help = "Cost of the requests missing from all reports",
                                           .ask = "increase(headgate_billing_lost_units_total[1h])"};
inline constexpr Family quota_notices{
    .name = "headgate_quota_notices_total",
    .type = Type::counter,
    .labels = {"limit", "percent"},
    .help = "Keys that reached this percentage of their quota, as reported by this gateway to the webhook",
    .ask = "sum by (limit, percent) (increase(headgate_quota_notices_total[1d]))"};
inline constexpr Family quota_notices_dropped{
    .name = "headgate_quota_notices_dropped_total",
    .type = Type::counter,
    .labels = {},
    .help = "Notices skipped because too many came at once; the key's next request reports again",
    .ask = "increase(headgate_quota_notices_dropped_total[1h]) > 0"};
inline constexpr Family webhooks{.name = "headgate_webhooks_total",
                                 .type = Type::counter,
                                 .labels = {"result"},
                                 .help = "Webhooks that were delivered, failed, or dropped",
                                 .ask = "increase(headgate_webhooks_total{result!=\"delivered\"}[1h]) > 0"};
inline constexpr Family webhooks_retried{.name = "headgate_webhooks_retried_total",
                                         .type = Type::counter,
                                         .labels = {},
                                         .help = "Repeated attempts to deliver a webhook",
                                         .ask = "rate(headgate_webhooks_retried_total[5m])"};
inline constexpr Family webhooks_queued{.name = "headgate_webhooks_queued",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Webhooks waiting or being sent",
                                        .ask = "headgate_webhooks_queued > 100"};

}  // namespace headgate::observe::family
