#pragma once
// What the keys of a size mean, which a limit has, or each of its tiers.

#include <string_view>

namespace headgate::config {

inline constexpr std::string_view kRateDoc =
    "How much: a count, a slash and a period, as in `100/minute`, `300/5m` or `200000/month`; all rates of a list "
    "apply";
inline constexpr std::string_view kBurstDoc =
    "Maximum number of requests at once, the bucket's size; the default depends on the algorithm: for a token bucket "
    "the rate's count";
inline constexpr std::string_view kWaitDoc =
    "Maximum delay of a request until its permit is available; default: it is rejected at once";
inline constexpr std::string_view kQueueDoc =
    "With `in_flight` and `wait`: how many requests of one key may wait on a gateway, first come first served; "
    "default: "
    "as many as may be in flight";
inline constexpr std::string_view kInFlightDoc =
    "How many requests at the same time, in place of `rate`: a permit is held from the admission of a request to its "
    "end";

}  // namespace headgate::config
