#pragma once
// Documentation of the keys of a size. Either a limit has these keys, or each of its tiers has them.

#include <string_view>

namespace headgate::config {

inline constexpr std::string_view kRateDoc =
    "Count, slash and period, such as `100/minute`, `300/5m` or `200000/month`. All rates of a list apply";
inline constexpr std::string_view kLimitRateDoc =
    "Count, slash and period, such as `100/minute`, `300/5m` or `200000/month`. All rates of a list apply. An object "
    "takes the count from the caller's credential";
inline constexpr std::string_view kBurstDoc =
    "Maximum number of requests at once. Default: depends on the algorithm; for a token bucket the count of `rate`";
inline constexpr std::string_view kWaitDoc =
    "Maximum delay of a request until its permit is available. Default: it is rejected at once";
inline constexpr std::string_view kQueueDoc =
    "With `in_flight` and `wait`: requests of one key that may wait on a gateway, served in order. Default: the number "
    "in `in_flight`";
inline constexpr std::string_view kInFlightDoc =
    "Maximum number of concurrent requests, in place of `rate`. Each holds a permit from admission to its end";

}  // namespace headgate::config
