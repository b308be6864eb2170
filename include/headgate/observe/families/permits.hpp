#pragma once
// Metrics of permits that are held, waited for or remaining.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family limit_appointments{
    .name = "headgate_limit_appointments_total",
    .type = Type::counter,
    .labels = {"limit", "event"},
    .help = "Appointments: offered with a rejection, kept, shown too early, or shown too late or again",
    .ask = "sum by (limit, event) (rate(headgate_limit_appointments_total[5m]))"};
inline constexpr Family limit_in_flight{
    .name = "headgate_limit_in_flight",
    .type = Type::gauge,
    .labels = {"limit", "worker"},
    .help = "Requests of this worker that hold a permit of an `in_flight` limit, in memory or Redis",
    .ask = "sum by (limit) (headgate_limit_in_flight)"};
inline constexpr Family limit_settled{
    .name = "headgate_limit_settled_units_total",
    .type = Type::counter,
    .labels = {"limit", "said"},
    .help =
        "Units that calls with a cost from the answer used: `reported` by the answer, `counted` from its text, or "
        "`held`, because the answer told nothing",
    .ask = "sum by (limit, said) (rate(headgate_limit_settled_units_total[5m]))"};
inline constexpr Family limit_overdrawn{
    .name = "headgate_limit_overdrawn_units_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Units that calls with a cost from the answer used beyond what was held for them",
    .ask = "sum by (limit) (rate(headgate_limit_overdrawn_units_total[5m]))"};
inline constexpr Family limit_held{.name = "headgate_limit_held_units",
                                   .type = Type::gauge,
                                   .labels = {"limit", "worker"},
                                   .help = "Units that calls under way of this worker hold until their cost is known",
                                   .ask = "sum by (limit) (headgate_limit_held_units)"};
inline constexpr Family limit_models{
    .name = "headgate_limit_model_units_total",
    .type = Type::counter,
    .labels = {"limit", "model"},
    .help =
        "Units that calls of language models used, by the name in the price file; `other` for models without a price",
    .ask = "topk(5, sum by (limit, model) (rate(headgate_limit_model_units_total[5m])))"};
inline constexpr Family limit_remaining{
    .name = "headgate_limit_remaining",
    .type = Type::gauge,
    .labels = {"limit", "tier"},
    .help =
        "Remaining units of a limit that all callers share (`total`), of its scarcest rate, after its last decision "
        "here; unchanged while there are no requests",
    .ask =
        "headgate_limit_remaining / on (job, instance, limit, tier) min by (job, instance, limit, tier) "
        "(headgate_limit_configured_requests)"};
inline constexpr Family reservations_open{
    .name = "headgate_reservations_open",
    .type = Type::gauge,
    .labels = {"worker"},
    .help = "Open reservations of this worker: decisions for another proxy whose costs `POST /settle` settles",
    .ask = "sum(headgate_reservations_open)"};
inline constexpr Family reservations{
    .name = "headgate_reservations_total",
    .type = Type::counter,
    .labels = {"end"},
    .help =
        "Reservations that ended: `used` (settled with their costs), `cancelled`, `expired` (not settled in time), or "
        "`refused` (there was no place for them)",
    .ask = "sum by (end) (rate(headgate_reservations_total[5m]))"};
inline constexpr Family limit_wait_seconds{
    .name = "headgate_limit_wait_seconds",
    .type = Type::histogram,
    .labels = {"limit"},
    .help = "Time in the queue of requests that got a permit of an `in_flight` limit",
    .ask = "histogram_quantile(0.99, sum by (le, limit) (rate(headgate_limit_wait_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};

}  // namespace headgate::observe::family
