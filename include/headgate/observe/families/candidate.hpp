#pragma once
// The metrics of a candidate.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family candidate_requests{
    .name = "headgate_candidate_requests_total",
    .type = Type::counter,
    .labels = {"result"},
    .help =
        "Requests that a candidate was asked about, by what both policies made of them: `both_allowed`, "
        "`both_refused`, `hit` (only the candidate would refuse it), `freed` (only the live policy refused it), "
        "`undecided`",
    .ask = "sum by (result) (rate(headgate_candidate_requests_total[5m]))"};
inline constexpr Family candidate_limit_requests{
    .name = "headgate_candidate_limit_requests_total",
    .type = Type::counter,
    .labels = {"limit", "tier", "result"},
    .help =
        "The same by limit: the one that refused the request, of the candidate, or for `freed` of the live policy; "
        "of `both_allowed` each limit of the candidate. `-`: refused without a limit",
    .ask = "topk(5, sum by (limit, tier) (rate(headgate_candidate_limit_requests_total{result=\"hit\"}[5m])))"};
inline constexpr Family candidate_undecided{
    .name = "headgate_candidate_undecided_total",
    .type = Type::counter,
    .labels = {"reason"},
    .help =
        "Requests that were not compared: the live gateway ended them for a reason that no policy decides "
        "(`live`), they would wait for a permit (`queue`), the candidate's Redis does not answer (`redis_down`) or "
        "has too many calls (`too_many`), the live policy has not verified the token (`token`), or a `bug`",
    .ask = "sum by (reason) (rate(headgate_candidate_undecided_total[5m]))"};
inline constexpr Family candidate_keys{.name = "headgate_candidate_tracked_keys",
                                       .type = Type::gauge,
                                       .labels = {},
                                       .help = "Counters of the candidate in this gateway's memory",
                                       .ask = "headgate_candidate_tracked_keys"};

}  // namespace headgate::observe::family
