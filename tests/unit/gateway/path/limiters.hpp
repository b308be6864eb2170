#pragma once
// The two limiters of the path: the real one of this process, with a trace, and a scripted Redis.

#include "unit/gateway/path/script.hpp"

#include "headgate/limit/limiter.hpp"
#include "headgate/limit/memory_store.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headgate::gateway::test {

/// "login 1, day 3": the checks with their costs.
inline std::string words_of(std::span<const limit::Check> checks) {
  std::string out;
  for (const auto& check : checks)
    out += (out.empty() ? "" : ", ") + check.rule->limit + " " + std::to_string(check.cost);
  return out;
}

/// The real store on the virtual clock.
class HeardMemory final : public limit::Limiter {
 public:
  explicit HeardMemory(Trace& trace) : trace_(trace) {}

  bool decide(std::span<const limit::Check> checks, Instant now, std::span<limit::Decision> decisions) override {
    trace_.note(limit::is_peek(checks) ? "peek" : "memory", words_of(checks));
    return store_.decide(checks, now, decisions);
  }
  void give_back(std::span<const limit::Check> checks, Instant now) override {
    trace_.note("give-back", words_of(checks));
    store_.give_back(checks, now);
  }
  limit::MemoryStore& store() noexcept { return store_; }

 private:
  Trace& trace_;
  limit::MemoryStore store_{{.max_keys = 1000}};
};

/// Allows everything, unless the test says otherwise.
class ScriptedRedis final : public limit::RemoteLimiter {
 public:
  ScriptedRedis(VirtualClock& clock, Trace& trace) : clock_(clock), trace_(trace) {}

  std::string rejects;                ///< the limit whose checks it rejects
  std::set<std::string> spent;        ///< the keys whose checks it rejects
  std::set<std::string> known;        ///< those of them that it rejects without a call
  std::vector<std::string> asked;     ///< the key of the first check of each call
  std::vector<std::uint32_t> waited;  ///< Check::waited of the first check of each call
  std::vector<std::string> charged;   ///< "<key> <cost>"
  std::vector<std::string> settled_keys;
  std::optional<error_code> away;  ///< the error if it does not answer
  Duration answers_after{0};
  Duration delay{0};                            ///< the delay of each check that it allows
  std::map<std::string, Duration> known_waits;  ///< by limit: how long it is known to reject, without a call
  Clock::Steady others_owe_until{};
  std::vector<std::string> settled;

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override {
    trace_.note("redis", words_of(checks));
    asked.emplace_back(checks[0].key);
    waited.push_back(checks[0].waited);
    Wait wait(clock_, answers_after);
    co_await wait;
    if (away) co_return Result<bool>(boost::system::in_place_error, *away);
    co_return answer(checks, decisions);
  }
  std::optional<bool> decide_here(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override {
    if (!known.contains(std::string(checks[0].key))) return {};
    return answer(checks, decisions);
  }
  Duration known_wait(const limit::Check& check) const override {
    const auto at = known_waits.find(check.rule->limit);
    return at == known_waits.end() ? Duration(0) : at->second;
  }
  bool settle(std::span<const limit::Check> checks, std::span<const Duration>) override {
    trace_.note("settle", words_of(checks));
    settled.push_back(words_of(checks));
    settled_keys.emplace_back(checks[0].key);
    return true;
  }
  Task<error_code> charge(const limit::Check& owed, std::string_view) override {
    trace_.note("charge", words_of({&owed, 1}));
    charged.push_back(std::string(owed.key) + " " + std::to_string(owed.cost));
    co_return away.value_or(error_code());
  }
  Clock::Steady recovering_until() const noexcept override { return others_owe_until; }
  bool up() const noexcept override { return !away; }

 private:
  bool answer(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) const {
    bool agreed = true;
    for (std::size_t i = 0; i < checks.size(); ++i) {
      const auto& rule = *checks[i].rule;
      const bool allowed = rule.limit != rejects && !spent.contains(std::string(checks[i].key));
      decisions[i] = {allowed,
                      true,
                      rule.burst,
                      allowed ? rule.burst - 1 : 0,
                      Duration(allowed ? 0 : 7'000'000),
                      std::chrono::minutes(1),
                      allowed ? delay : Duration(0)};
      if (!allowed && checks[i].how == limit::How::take) agreed = false;
    }
    return agreed;
  }

  VirtualClock& clock_;
  Trace& trace_;
};

/// Redis as far as the path sees it: one store that counts.
class StoredRedis final : public limit::RemoteLimiter {
 public:
  StoredRedis(VirtualClock& clock, Trace& trace) : clock_(clock), trace_(trace) {}

  bool away = false;

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override {
    trace_.note(limit::is_peek(checks) ? "peek" : "redis", words_of(checks));
    if (away) co_return Result<bool>(boost::system::in_place_error, make_error_code(error::timed_out));
    co_return store_.decide(checks, clock_.wall(), decisions);
  }
  bool settle(std::span<const limit::Check> checks, std::span<const Duration>) override {
    trace_.note("settle", words_of(checks));
    std::vector<limit::Decision> ignored(checks.size());
    store_.decide(checks, clock_.wall(), ignored);
    return true;
  }
  Task<error_code> charge(const limit::Check& owed, std::string_view) override {
    trace_.note("charge", words_of({&owed, 1}));
    limit::Decision ignored;
    auto check = owed;
    check.hash = keyed_hash(check.key, check.rule->seed);
    if (!away) store_.decide({&check, 1}, clock_.wall(), {&ignored, 1});
    co_return away ? make_error_code(error::timed_out) : error_code();
  }
  Clock::Steady recovering_until() const noexcept override { return {}; }
  bool up() const noexcept override { return !away; }
  limit::MemoryStore& store() noexcept { return store_; }

 private:
  VirtualClock& clock_;
  Trace& trace_;
  limit::MemoryStore store_{{.max_keys = 1000}};
};

}  // namespace headgate::gateway::test
