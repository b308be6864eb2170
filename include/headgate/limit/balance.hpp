#pragma once
// The algorithm for balances, whose permits come back only when an operator adds some. `balance` is not one of
// algorithms(), because a balance has no rate. Used by gateway, config, simulate and admin.

#include "headgate/limit/algorithm.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace headgate::limit {

/// Grants what is left. A new key has Rule::start permits; a negative cost adds permits or gives them back, at any
/// time; How::debt takes below zero. A decision has no limit, and its waits are kNever, because time does not help. The
/// other numbers of the rule are those of balance_rule().
extern const Algorithm balance;

/// The largest balance, and the largest debt. More is cut off.
inline constexpr std::int64_t kMaxBalance = static_cast<std::int64_t>(kMaxRequests);

/// Returns whether the rule is a balance.
inline bool is_balance(const Rule& rule) noexcept { return rule.algorithm == &balance; }

/// Fills the numbers of a rule whose algorithm is `balance`: only `start` differs between balances.
void make_balance(Rule& rule, std::uint64_t start) noexcept;

/// Returns the balance after a decision, below zero in debt.
std::int64_t balance_in(const Decision& decision) noexcept;

/// Time for which Redis keeps the id of a top-up.
inline constexpr Duration kTopUpKept = std::chrono::hours(24) * 30;

/// Returns the rule that records the top-up of `of` (a balance) with this id in Redis. A check of it has the key of the
/// balance, and the added amount as its cost. It rejects its call if the id was used before; the decision then has the
/// amount that was added, as balance_in(). There is no such check in memory.
Rule top_up_rule(const Rule& of, std::string_view id);

}  // namespace headgate::limit
