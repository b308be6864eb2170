// The embedded store under Google Benchmark, and under a flood.
#include "limiter_rows.hpp"
#include "process.hpp"
#include "support/rules.hpp"

#include "headgate/limit/memory_store.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

namespace headgate::bench {
namespace {

using limit::Decision;
using limit::MemoryStore;
using limit::Rule;

constexpr std::uint64_t kMaxKeys = 1'000'000;

struct Load {
  const char* name;
  std::uint64_t keys;  ///< of each thread, or of all where they share them
  int threads;
  bool shared;
  double target;  ///< decisions a second of all threads; 0: more than one thread's
};
constexpr Load kLoads[] = {
    {"embedded, 1 thread, 10 k keys", 10'000, 1, false, 5e6},
    {"embedded, 1 thread, 100 k keys", 100'000, 1, false, 5e6},
    {"embedded, 1 thread, 1 M keys", kMaxKeys, 1, false, 5e6},
    {"embedded, 2 threads, 500 k keys each", kMaxKeys / 2, 2, false, 0},
    {"embedded, 2 threads on one key", 1, 2, true, 3e6},
};

/// The whole cost of a decision: the hash of the key, the look-up among `load.keys` in random order, the arithmetic,
/// the decision.
void decide(benchmark::State& state, const Load& load, MemoryStore& store, const Rule& rule) {
  const auto thread = static_cast<std::uint64_t>(state.thread_index());
  pin_to(state.thread_index());
  const std::uint64_t first = load.shared ? 0 : thread * load.keys;
  std::uint64_t random = 0x9e3779b97f4a7c15ULL + thread;
  Instant now = test::kStart;
  Subject key;
  Decision decision;
  for (auto _ : state) {
    random ^= random << 13U;
    random ^= random >> 7U;
    random ^= random << 17U;
    now += Duration(1);
    const limit::Check check = test::make_check(rule, key(first + random % load.keys));
    benchmark::DoNotOptimize(store.decide({&check, 1}, now, {&decision, 1}));
  }
}

class Collect : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      cpu[run.run_name.function_name].push_back(run.GetAdjustedCPUTime());
      passed[run.run_name.function_name].push_back(run.GetAdjustedRealTime());
    }
  }
  std::map<std::string, std::vector<double>> cpu;     ///< nanoseconds a decision, on all CPUs
  std::map<std::string, std::vector<double>> passed;  ///< nanoseconds a decision, by the clock
};

double thread_cpu() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

Rows embedded_rows(const LimiterPlan& plan) {
  const Rule rule = test::make_rule("1000000/second");
  MemoryStore store({.max_keys = kMaxKeys + kMaxKeys / 10});
  Subject key;
  Decision decision;
  for (std::uint64_t i = 0; i < kMaxKeys; ++i) {
    const limit::Check check = test::make_check(rule, key(i));
    store.decide({&check, 1}, test::kStart, {&decision, 1});
  }
  for (const Load& load : kLoads)
    benchmark::RegisterBenchmark(load.name, [&](benchmark::State& state) { decide(state, load, store, rule); })
        ->Threads(load.threads)
        ->Repetitions(plan.repeats)
        ->MinTime(0.3);
  Collect collect;
  benchmark::RunSpecifiedBenchmarks(&collect);
  benchmark::ClearRegisteredBenchmarks();
  Rows rows;
  double alone = 0;
  for (const Load& load : kLoads) {
    const double cost = median(collect.cpu[load.name]);
    // A thread that sleeps for a lock uses no CPU, so two threads on one key are measured by the clock.
    const double by_clock = 1e9 / median(collect.passed[load.name]);
    const double a_second = load.shared ? by_clock : load.threads * 1e9 / cost;
    if (load.threads == 1) alone = a_second;
    std::string result = million(a_second) + " (" + number(cost, 0) + " ns of CPU each";
    if (load.threads > 1) result += ", " + million(by_clock) + " by the clock";
    rows.push_back({.what = load.name,
                    .target = load.target > 0 ? ">= " + million(load.target) : "> 1 thread",
                    .result = result + ")",
                    .reached = a_second >= (load.target > 0 ? load.target : alone)});
  }
  return rows;
}

Rows flood_rows() {
  constexpr std::uint64_t kFlood = 10'000'000;
  constexpr std::uint64_t kUsedUp = 10'000;
  constexpr std::size_t kBound = 1'000'000;
  pin_to(0);
  MemoryStore store({.max_keys = kBound});
  const Rule rule = test::make_rule("100/hour");
  Subject key;
  Decision decision;
  const auto decide = [&](std::uint64_t number, Instant now, std::int64_t cost) {
    const limit::Check check = test::make_check(rule, key(number), cost);
    return store.decide({&check, 1}, now, {&decision, 1});
  };
  for (std::uint64_t i = 0; i < kUsedUp; ++i) decide(kFlood + i, test::kStart, 100);
  double slowest = 0;
  double total = 0;
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < kFlood;) {
    // By turns: a thousand timed one by one, then ten thousand timed together, because reading the clock costs as much
    // as what it measures.
    double before = thread_cpu();
    for (const std::uint64_t end = i + 1000; i < end; ++i) {
      decide(i, test::kStart + Duration(i), 1);
      const double after = thread_cpu();
      slowest = std::max(slowest, after - before);
      before = after;
    }
    for (const std::uint64_t end = std::min(i + 9000, kFlood); i < end; ++i) decide(i, test::kStart + Duration(i), 1);
    total += thread_cpu() - before;
    most = std::max(most, store.keys());
  }
  std::uint64_t fresh = 0;
  for (std::uint64_t i = 0; i < kUsedUp; ++i) fresh += decide(kFlood + i, test::kStart + Duration(kFlood), 1) ? 1 : 0;
  return {{.what = "flood of 10 M new keys, bound 1 M: most keys at any time",
           .target = "<= 1000000",
           .result = std::to_string(most),
           .reached = most <= kBound},
          {.what = "  a decision",
           .target = "",
           .result = number(total / (static_cast<double>(kFlood) * 0.9) * 1e9, 0) +
                     " ns of CPU on average, the slowest " + number(slowest * 1e6, 0) + " µs",
           .reached = std::nullopt},
          {.what = "  used-up keys that were fresh afterwards, of 10000",
           .target = "0",
           .result = std::to_string(fresh),
           .reached = fresh == 0}};
}

}  // namespace headgate::bench
