#pragma once
// The check that lets Redis apply a batch of settlements at most once. Used by redis.

#include "headgate/limit/algorithm.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::limit {

/// Allows a check if its cost, which is the number of a batch, is higher than that of the last batch, and then keeps
/// the number for kBatchKept. It is not one of algorithms(), and there is none in memory. If the other checks of the
/// call cannot be rejected, then the first call with a number applies them, and all further calls change nothing.
extern const Algorithm settled_batch;

/// Time for which the number of the last batch is kept.
inline constexpr Duration kBatchKept = std::chrono::minutes(10);

/// Returns the rule of a sender, which sends its batches one after another. `sender` differs for each sender of all
/// gateways.
Rule batch_rule(std::string_view sender);

/// Returns the check of batch `number`, which is 1 or more. `rule` is from batch_rule() and must outlive the check.
Check batch_check(const Rule& rule, std::int64_t number) noexcept;

}  // namespace headgate::limit
