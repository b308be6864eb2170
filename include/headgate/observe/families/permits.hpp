#pragma once
// The metrics of permits that are held, waited for or left.

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
    .help = "Requests of this worker that hold a permit of a limit with `in_flight`, in memory or in Redis",
    .ask = "sum by (limit) (headgate_limit_in_flight)"};
inline constexpr Family limit_remaining{
    .name = "headgate_limit_remaining",
    .type = Type::gauge,
    .labels = {"limit", "tier"},
    .help =
        "What is left of a limit that all callers share (`total`), by its last decision here, in units of its "
        "scarcest rate; it stays as it is while no request comes",
    .ask =
        "headgate_limit_remaining / on (job, instance, limit, tier) min by (job, instance, limit, tier) "
        "(headgate_limit_configured_requests)"};
inline constexpr Family limit_wait_seconds{
    .name = "headgate_limit_wait_seconds",
    .type = Type::histogram,
    .labels = {"limit"},
    .help = "Time that requests waited for a permit of a limit in flight, of those that stood in its queue and got one",
    .ask = "histogram_quantile(0.99, sum by (le, limit) (rate(headgate_limit_wait_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};

}  // namespace headgate::observe::family
