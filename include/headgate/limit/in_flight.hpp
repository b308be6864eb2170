#pragma once
// Requests at the same time. Not one of algorithms(): permits do not come back with time, each is given back when its
// request ends.

#include "headgate/limit/algorithm.hpp"

#include <chrono>

namespace headgate::limit {

/// `rule.burst` permits, each held by one request; the cost of a request is 1 whatever it costs elsewhere. The rate is
/// {burst, kFlightLease}.
///
/// In memory a counter has the number of its holders. In Redis it has the token of each (Check::token) with the moment
/// until which it counts: kFlightLease after it was taken or renewed. So taking, renewing (How::debt) and giving back
/// with one token may each be repeated, and what a killed gateway held is free again after kFlightLease.
///
/// With Rule::wait, requests stand in queues (shed/wait_queues). In Redis only the first of each gateway's queue has
/// a place, in the order of their arrival.
extern const Algorithm in_flight;

/// How long a permit in Redis is held without a renewal. Holders renew three times in this time.
inline constexpr Duration kFlightLease = std::chrono::seconds(10);

/// How long the place of a waiting request in Redis is kept if its gateway does not ask again.
inline constexpr Duration kFlightPlace = std::chrono::seconds(1);

/// The longest queue of one key.
inline constexpr std::uint32_t kMaxFlightQueue = 1'000'000;

/// The wait that a rejected caller is told. Nobody can know when a request ends.
inline constexpr Duration kFlightRetry = std::chrono::seconds(1);

}  // namespace headgate::limit
