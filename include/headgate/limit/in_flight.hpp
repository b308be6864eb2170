#pragma once
// The algorithm for concurrent requests. `in_flight` is not one of algorithms(), because its permits do not come back
// with time: each permit is given back when its request ends. Used by gateway, config and simulate.

#include "headgate/limit/algorithm.hpp"

#include <chrono>

namespace headgate::limit {

/// Grants `rule.burst` permits, each held by one request; the cost of a request is always 1 here. The rate is {burst,
/// kFlightLease}.
///
/// In memory a counter has the number of its holders. In Redis it has the token of each holder (Check::token) and the
/// moment until which the holder counts: kFlightLease after its permit was taken or renewed. So taking, renewing
/// (How::debt) and giving back with the same token may be repeated without harm, and permits of a killed gateway are
/// free again after kFlightLease.
///
/// With Rule::wait, requests wait in queues (shed/wait_queues). In Redis, too, there is a queue, in the order of
/// arrival. Only the first request of each gateway's queue has a place in it.
extern const Algorithm in_flight;

/// Time for which a permit in Redis is held without a renewal. Holders renew three times within it.
inline constexpr Duration kFlightLease = std::chrono::seconds(10);

/// Time for which the place of a waiting request in Redis is kept if its gateway does not ask again.
inline constexpr Duration kFlightPlace = std::chrono::seconds(1);

/// Maximum length of the queue of one key.
inline constexpr std::uint32_t kMaxFlightQueue = 1'000'000;

/// The wait that a rejected caller is told. It is a constant, because nobody can know when a request ends.
inline constexpr Duration kFlightRetry = std::chrono::seconds(1);

}  // namespace headgate::limit
