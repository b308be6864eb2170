// Balances: the state is the balance of a key, and whether it was ever written. lua/balance.lua is the same arithmetic,
// and lua/top_up.lua the only store of the ids of top-ups.

#include "headgate/limit/balance.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace headgate::limit {
namespace {

// the numbers of State
enum BalanceNumber : std::size_t { kBalanceLeft, kBalanceWritten };

constexpr std::int64_t bounded_amount(std::int64_t amount) noexcept {
  return std::clamp(amount, -2 * kMaxBalance - 1, 2 * kMaxBalance + 1);
}

std::int64_t balance_after(std::int64_t before, std::int64_t cost, CommitMode mode) noexcept {
  if (mode == CommitMode::none) return before;
  cost = bounded_amount(cost);
  if (cost > 0 && mode != CommitMode::debt) cost = std::min(cost, std::max<std::int64_t>(before, 0));
  return std::clamp(before - cost, -kMaxBalance, kMaxBalance);
}

void tell_balance(std::int64_t left, Decision& decision) noexcept {
  decision.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0));
  decision.debt = static_cast<std::uint64_t>(std::max<std::int64_t>(-left, 0));
}

std::uint64_t default_of_balance(const Rule&) { return kMaxRequests; }

std::optional<RuleFault> check_balance(const Rule& rule) {
  if (rule.start <= kMaxRequests && rule.burst == kMaxRequests && rule.wait == Duration(0)) return std::nullopt;
  return RuleFault{"a balance begins with 0 to " + std::to_string(kMaxRequests), R"(write "balance": true)"};
}

std::string meaning_of_balance(const Rule& rule, std::string_view noun) {
  std::string out = "a balance";
  if (!noun.empty()) out.append(" of").append(noun).append(noun.ends_with('s') ? "" : "s");
  out += " that is topped up";
  if (rule.start > 0) out += ", " + std::to_string(rule.start) + " at first";
  return out;
}

Outcome peek_balance(const State& state, const Rule& rule, std::int64_t cost, Instant) {
  const auto& numbers = state.numbers;
  const auto left = numbers[kBalanceWritten] != 0 ? numbers[kBalanceLeft] : static_cast<std::int64_t>(rule.start);
  Outcome outcome;
  outcome.words = {left};
  outcome.allowed = cost <= 0 || cost <= left;
  return outcome;
}

// The counter never equals an unused one again, so it is evicted last.
Instant commit_balance(State& state, const Rule&, std::int64_t cost, CommitMode mode, Instant, const Outcome& outcome) {
  state.numbers = {};
  state.numbers[kBalanceLeft] = balance_after(outcome.words[0], cost, mode);
  state.numbers[kBalanceWritten] = 1;
  return Instant::max();
}

std::optional<Decision> decision_of_balance(const Rule&, std::int64_t cost, CommitMode mode,
                                            std::span<const std::int64_t> words) {
  const auto before = words[0];
  if (before < -kMaxBalance || before > kMaxBalance) return std::nullopt;
  Decision decision;
  decision.allowed = cost <= 0 || cost <= before;
  tell_balance(balance_after(before, cost, mode), decision);
  if (!decision.allowed) decision.retry_after = kNever;
  decision.reset_after = kNever;  // a hold can be given back at any time
  return decision;
}

void arguments_of_balance(const Check& check, Instant, ArgumentList& out) {
  out.add(bounded_amount(check.cost));
  out.add(check.rule->start);
}

std::optional<Decision> decision_of_top_up(const Rule&, std::int64_t, CommitMode, std::span<const std::int64_t> words) {
  if (words[0] < 0 || words[0] > 1) return std::nullopt;
  Decision decision;
  decision.allowed = words[0] == 0;
  tell_balance(bounded_amount(words[1]), decision);
  return decision;
}

void arguments_of_top_up(const Check& check, Instant, ArgumentList& out) {
  out.add(check.cost);
  out.add(std::chrono::duration_cast<std::chrono::milliseconds>(kTopUpKept).count());
}

const Algorithm top_up{.name = "top_up",
                       .words = 2,
                       .leasable = false,
                       .refills = false,
                       .default_burst = nullptr,
                       .check = nullptr,
                       .meaning = nullptr,
                       .peek = nullptr,
                       .commit = nullptr,
                       .decision = decision_of_top_up,
                       .arguments = arguments_of_top_up};

}  // namespace

const Algorithm balance{.name = "balance",
                        .words = 1,
                        .leasable = false,
                        .refills = false,
                        .default_burst = default_of_balance,
                        .check = check_balance,
                        .meaning = meaning_of_balance,
                        .peek = peek_balance,
                        .commit = commit_balance,
                        .decision = decision_of_balance,
                        .arguments = arguments_of_balance};

void make_balance(Rule& rule, std::uint64_t start) noexcept {
  rule.algorithm = &balance;
  rule.start = start;
  rule.burst = kMaxRequests;
  rule.rate = {1, std::chrono::seconds(1)};
}

std::int64_t balance_in(const Decision& decision) noexcept {
  return static_cast<std::int64_t>(decision.remaining) - static_cast<std::int64_t>(decision.debt);
}

Rule top_up_rule(const Rule& of, std::string_view id) {
  Rule rule;
  rule.limit = of.limit;
  rule.algorithm = &top_up;
  rule.suffix.append(of.suffix).append("#").append(id);
  rule.seed = stable_hash(rule.suffix);
  return rule;
}

}  // namespace headgate::limit
