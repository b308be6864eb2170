// Decisions on counters in Redis with leases.
#include "limiter_rows.hpp"
#include "process.hpp"
#include "support/rules.hpp"

#include "headgate/core/task.hpp"
#include "headgate/redis/limiter.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <sys/resource.h>

#include <atomic>
#include <coroutine>
#include <thread>

namespace headgate::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 2;
constexpr int kCallers = 16;  // at once, of each worker
constexpr std::uint64_t kKeys = 100;
constexpr auto kTime = 3s;

struct Tally {
  std::uint64_t decided = 0;
  std::uint64_t failed = 0;
  std::uint64_t asked = 0;  ///< calls to Redis, refills and refunds included
};

/// Runs the loop as a worker does between two requests.
struct Turn {
  boost::asio::io_context& loop;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) const {
    boost::asio::post(loop, [task] { task.resume(); });
  }
  void await_resume() const noexcept {}
};

Task<void> caller(boost::asio::io_context& loop, redis::SharedLimiter& limiter, const limit::Rule& rule, int first,
                  const std::atomic<bool>& over, Tally& tally, int& running) {
  Subject key;
  limit::Decision decision;
  for (auto number = static_cast<std::uint64_t>(first); !over.load(std::memory_order_relaxed); ++number) {
    for (int i = 0; i < 16; ++i) {  // sixteen requests a turn of the loop, as under load
      const limit::Check check = test::make_check(rule, key(number % kKeys));
      if (!limiter.decide_here({&check, 1}, {&decision, 1})) {
        auto task = limiter.decide({&check, 1}, {&decision, 1});
        const auto result = co_await task;
        if (result.has_error()) ++tally.failed;
      }
      ++tally.decided;
    }
    Turn turn{loop};
    co_await turn;
  }
  --running;
}

Tally worker(int core, const redis::RedisOptions& options, const limit::Rule& rule, const std::atomic<bool>& over) {
  pin_to(core);
  boost::asio::io_context loop{1};
  redis::SharedLimiter limiter(loop, options);
  Tally tally;
  int running = kCallers;
  for (int i = 0; i < kCallers; ++i) spawn(caller(loop, limiter, rule, i, over, tally, running), "bench");
  while (running > 0) loop.run_one();
  tally.asked = limiter.counters().sent;
  limiter.stop();
  loop.run();
  return tally;
}

double own_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Rows leased_rows(test::RedisServer& redis) {
  limit::Rule rule = test::make_rule("1000000/second");
  rule.leases = true;
  redis::RedisOptions options;
  options.nodes[0].port = redis.port();
  options.timeout = 1s;
  options.workers = kWorkers;
  std::atomic<bool> over = false;
  Tally tallies[kWorkers];
  const double before = own_cpu();
  {
    std::vector<std::jthread> threads;
    threads.reserve(kWorkers);
    for (int i = 0; i < kWorkers; ++i) threads.emplace_back([&, i] { tallies[i] = worker(i, options, rule, over); });
    std::this_thread::sleep_for(kTime);
    over = true;
  }
  const double used = own_cpu() - before;
  Tally sum;
  for (const Tally& tally : tallies) {
    sum.decided += tally.decided;
    sum.failed += tally.failed;
    sum.asked += tally.asked;
  }
  const double a_second = kWorkers * static_cast<double>(sum.decided) / used;
  const double share = static_cast<double>(sum.asked) / static_cast<double>(sum.decided);
  return {{.what = "leased, 2 workers, 100 hot keys, one Redis",
           .target = ">= 1 M/s",
           .result = million(a_second) + " (" + number(used / static_cast<double>(sum.decided) * 1e9, 0) +
                     " ns of CPU each" + (sum.failed > 0 ? ", " + std::to_string(sum.failed) + " failed" : "") + ")",
           .reached = a_second >= 1e6 && sum.failed == 0},
          {.what = "  calls to Redis for each decision",
           .target = "< 5 %",
           .result = number(share * 100, 2) + " %",
           .reached = share < 0.05}};
}

}  // namespace headgate::bench
