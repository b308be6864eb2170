#pragma once
// Metrics of a candidate policy.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family candidate_requests{
    .name = "headgate_candidate_requests_total",
    .type = Type::counter,
    .labels = {"result"},
    .help =
        "Requests that the candidate decided too, by comparison with the live policy: `both_allowed`, `both_refused`, "
        "`hit` (only the candidate would refuse), `freed` (only the live policy refused), `undecided`",
    .ask = "sum by (result) (rate(headgate_candidate_requests_total[5m]))"};
inline constexpr Family candidate_limit_requests{
    .name = "headgate_candidate_limit_requests_total",
    .type = Type::counter,
    .labels = {"limit", "tier", "result"},
    .help =
        "Compared requests by limit: the candidate's limit that refused, for `freed` the live one, for `both_allowed` "
        "each limit of the candidate; `-` if no limit refused",
    .ask = "topk(5, sum by (limit, tier) (rate(headgate_candidate_limit_requests_total{result=\"hit\"}[5m])))"};
inline constexpr Family candidate_undecided{
    .name = "headgate_candidate_undecided_total",
    .type = Type::counter,
    .labels = {"reason"},
    .help =
        "Requests that were not compared: no policy decides how they ended (`live`), they would wait for a permit "
        "(`queue`), the candidate's Redis is unavailable (`redis_down`) or has too many calls (`too_many`), the live "
        "policy did not verify the token (`token`) or read the `body`, or a `bug`",
    .ask = "sum by (reason) (rate(headgate_candidate_undecided_total[5m]))"};
inline constexpr Family candidate_keys{.name = "headgate_candidate_tracked_keys",
                                       .type = Type::gauge,
                                       .labels = {},
                                       .help = "Counters of the candidate in this gateway's memory",
                                       .ask = "headgate_candidate_tracked_keys"};

}  // namespace headgate::observe::family
