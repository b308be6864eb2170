#pragma once
// What the tests of the ledger share: batches, and gateways that add and read them.

#include "fixture.hpp"

#include "headgate/limit/ledger.hpp"
#include "headgate/redis/ledger.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::redis {

using limit::LedgerBatch;
using limit::LedgerBucket;
using limit::Use;
using Uses = std::vector<std::pair<std::string, Use>>;

inline constexpr limit::Day kLedgerDay = std::chrono::year(2026) / 11 / 22;

/// All of the lane of its first field.
inline LedgerBatch batch_of(std::uint64_t number, Uses uses) {
  const auto lane = limit::lane_of(limit::bucket_of(uses.front().first));
  return {.day = kLedgerDay, .lane = lane, .number = number, .uses = std::move(uses)};
}

template <class T>
Task<void> keep_answer(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await task);
}

/// `Base` is a LoopTest.
template <class Base>
class WithLedgers : public Base {
 protected:
  template <class T>
  T wait_for(Task<T> task) {
    std::optional<T> result;
    spawn(keep_answer(std::move(task), result), "test");
    EXPECT_TRUE(this->run_until([&] { return result.has_value(); })) << "a call never ended";
    return std::move(*result);
  }
  Result<Use> add(limit::Ledger& ledger, const LedgerBatch& batch, Duration kept = 48h) {
    return wait_for(ledger.add(batch, kept));
  }
  /// Tries until the ledger has it: for what heals by itself.
  bool add_at_last(limit::Ledger& ledger, const LedgerBatch& batch, Clock::duration limit = 20s) {
    const auto end = Clock::now() + limit;
    while (add(ledger, batch).has_error()) {
      if (Clock::now() >= end) return false;
      this->run_for(20ms);
    }
    return true;
  }
  /// Everything that the ledger has of the day; each call asks for at most so many fields.
  std::map<std::string, Use> all_of(limit::Ledger& ledger, std::size_t most = 1000) {
    std::map<std::string, Use> out;
    for (unsigned bucket = 0; bucket < limit::kBuckets;) {
      const auto read = wait_for(ledger.read(kLedgerDay, bucket, most));
      EXPECT_TRUE(read.has_value()) << this->log.str();
      if (!read) return {};
      for (const auto& each : *read) {
        EXPECT_EQ(each.number, bucket++) << "no gaps";
        for (const auto& [field, use] : each.uses) {
          EXPECT_EQ(limit::bucket_of(field), each.number);
          EXPECT_TRUE(out.emplace(field, use).second) << field;
        }
      }
    }
    return out;
  }
  void expect_empty_loop() {
    this->keeps_running.reset();
    this->loop.run_for(2s);
    EXPECT_TRUE(this->loop.stopped()) << "handlers are left";
  }
};

}  // namespace headgate::redis
