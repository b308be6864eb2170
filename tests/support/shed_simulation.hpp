#pragma once
// Simulates a server with a few places and a queue, and requests that reach it through shed::Concurrency. The clock is
// virtual, and the random numbers are the same in each run.

#include "headgate/shed/concurrency.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

namespace headgate::test {

/// The conditions from a given time on.
struct SheddingPhase {
  Duration from{0};
  double rate = 100;     ///< requests per second
  unsigned places = 16;  ///< how many requests the server works on at the same time
  Duration service{0};   ///< how long the server works on a request
};

struct SheddingScenario {
  std::vector<SheddingPhase> phases;
  Duration until{0};
  double slow_share = 0;  ///< share of the requests that take `slow` instead
  Duration slow{0};
  bool random = true;   ///< whether service times are exponentially distributed
  double thrash = 0;    ///< share by which work takes longer for each `places` requests that wait
  double critical = 0;  ///< share of critical requests
  double low = 0;       ///< share of low requests
};

/// A tenth of a second.
struct SheddingTick {
  double offered = 0, answered = 0, refused = 0;  ///< requests
  /// Values at the end of the tick; the latency is the mean in milliseconds.
  double limit = 0, in_flight = 0, latency = 0;
  double capacity = 0;  ///< answers that the server could give in this time
};

struct SheddingRun {
  std::vector<SheddingTick> ticks;
  double offered[shed::kPriorities] = {}, refused[shed::kPriorities] = {};

  /// Returns the sum of a member over the ticks between two times.
  double sum(double SheddingTick::*what, Duration from, Duration to) const {
    double out = 0;
    for (auto at = from / kTick; at < to / kTick; ++at) out += ticks[static_cast<std::size_t>(at)].*what;
    return out;
  }
  double mean(double SheddingTick::*what, Duration from, Duration to) const {
    return sum(what, from, to) / static_cast<double>((to - from) / kTick);
  }
  static constexpr Duration kTick = std::chrono::milliseconds(100);
};

class SheddingSimulation {
 public:
  SheddingSimulation(const SheddingScenario& scenario, const shed::ConcurrencyOptions& options)
      : scenario_(scenario), concurrency_(options) {}

  SheddingRun run() {
    run_.ticks.resize(static_cast<std::size_t>(scenario_.until / SheddingRun::kTick));
    at(Duration(0), [this] { arrive(); });
    for (std::size_t i = 0; i < run_.ticks.size(); ++i)
      at(SheddingRun::kTick * static_cast<int>(i + 1), [this, i] { end_tick(i); });
    while (!events_.empty() && events_.top().at <= scenario_.until) {
      const auto event = events_.top();
      events_.pop();
      now_ = event.at;
      event.what();
    }
    return run_;
  }

 private:
  struct Event {
    Duration at;
    std::uint64_t number;
    std::function<void()> what;
    bool operator<(const Event& other) const noexcept { return at != other.at ? at > other.at : number > other.number; }
  };
  struct Request {
    Duration came;
    shed::Priority priority;
  };

  void at(Duration when, std::function<void()> what) { events_.push({when, ++number_, std::move(what)}); }

  const SheddingPhase& phase() const {
    const auto* out = &scenario_.phases.front();
    for (const auto& each : scenario_.phases)
      if (each.from <= now_) out = &each;
    return *out;
  }
  double random() {  // splitmix64
    seed_ += 0x9E3779B97F4A7C15;
    auto z = seed_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 0.5) / 9007199254740992.0;
  }
  Duration spread(double mean) { return Duration(static_cast<Duration::rep>(-mean * std::log(random()))); }
  shed::Concurrency::Steady steady() const { return shed::Concurrency::Steady(std::chrono::hours(1) + now_); }
  SheddingTick& tick() {
    const auto at = static_cast<std::size_t>(now_ / SheddingRun::kTick);
    return run_.ticks[std::min(at, run_.ticks.size() - 1)];
  }

  void arrive() {
    at(now_ + spread(1e6 / phase().rate), [this] { arrive(); });
    const double draw = random();
    const auto told = draw < scenario_.critical                   ? shed::Priority::critical
                      : draw < scenario_.critical + scenario_.low ? shed::Priority::low
                                                                  : shed::Priority::normal;
    tick().offered += 1;
    run_.offered[static_cast<std::size_t>(told)] += 1;
    const auto priority = concurrency_.effective(told, steady());
    if (!concurrency_.admits(priority)) {
      concurrency_.refused(priority, steady());
      tick().refused += 1;
      run_.refused[static_cast<std::size_t>(told)] += 1;
      return;
    }
    if (priority != told) concurrency_.trickled(steady());
    concurrency_.enter(priority, steady());
    queue_.push_back({now_, priority});
    work();
  }

  void work() {
    while (busy_ < phase().places && !queue_.empty()) {
      const auto request = queue_.front();
      queue_.pop_front();
      ++busy_;
      const bool slow = scenario_.slow_share > 0 && random() < scenario_.slow_share;
      const auto mean = static_cast<double>((slow ? scenario_.slow : phase().service).count());
      const double longer = 1 + scenario_.thrash * static_cast<double>(queue_.size()) / phase().places;
      const auto takes = scenario_.random ? spread(mean * longer) : Duration(static_cast<Duration::rep>(mean * longer));
      at(now_ + takes, [this, request] { finish(request); });
    }
  }

  void finish(const Request& request) {
    --busy_;
    const auto latency = now_ - request.came;
    concurrency_.answered(request.priority, latency, steady());
    tick().answered += 1;
    tick().latency += static_cast<double>(latency.count()) / 1000;
    work();
  }

  void end_tick(std::size_t i) {
    auto& tick = run_.ticks[i];
    if (tick.answered > 0) tick.latency /= tick.answered;
    tick.limit = concurrency_.limit();
    tick.in_flight = concurrency_.in_flight();
    const double mean = static_cast<double>(phase().service.count()) * (1 - scenario_.slow_share) +
                        static_cast<double>(scenario_.slow.count()) * scenario_.slow_share;
    tick.capacity = phase().places * static_cast<double>(SheddingRun::kTick.count()) / mean;
  }

  SheddingScenario scenario_;
  shed::Concurrency concurrency_;
  SheddingRun run_;
  std::priority_queue<Event> events_;
  std::deque<Request> queue_;
  Duration now_{0};
  std::uint64_t number_ = 0;
  std::uint64_t seed_ = 42;
  unsigned busy_ = 0;
};

inline SheddingRun simulate(const SheddingScenario& scenario, const shed::ConcurrencyOptions& options) {
  return SheddingSimulation(scenario, options).run();
}

}  // namespace headgate::test
