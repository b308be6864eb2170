#pragma once
// Simulates servers with a fixed number of places and no queue. Requests of three priorities arrive at random, and
// those that are served are counted. The clock is virtual, and the random numbers are the same in each run.

#include "headgate/core/time.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

namespace headgate::test {

struct LossScenario {
  unsigned places = 8;
  double load = 1;                                ///< rate of requests, as a share of what the servers can do
  std::array<double, shed::kPriorities> parts{};  ///< shares of the requests by priority, in any unit
  bool random = true;  ///< whether service times are exponentially distributed; otherwise all are equal
  Duration service = std::chrono::milliseconds(80);
  unsigned requests = 20'000;
};

struct LossRun {
  std::array<double, shed::kPriorities> offered{}, refused{};

  double refused_share(shed::Priority priority) const {
    const auto at = static_cast<std::size_t>(priority);
    return offered[at] > 0 ? refused[at] / offered[at] : 0;
  }
  /// The average number of places in use. Divided by the service time, it gives the rate of answers (Little's law),
  /// with less random variation than a count of answers has.
  double in_use = 0;
};

/// Returns the share of requests that find none of `places` places, if requests arrive at random and none has priority
/// (Erlang's loss formula). `load` is the number of places that would be in use if there were enough.
inline double loss_formula(unsigned places, double load) {
  double out = 1;
  for (unsigned i = 1; i <= places; ++i) out = load * out / (i + load * out);
  return out;
}

/// The code under test, which admits requests. It is called for each request and for each end of a request, and must
/// not admit more requests than there are places.
struct LossGate {
  using Steady = std::chrono::steady_clock::time_point;
  /// Returns whether a request is admitted while `taken` places are in use.
  std::function<bool(shed::Priority, std::uint32_t taken, Steady now)> admit;
  std::function<void(shed::Priority, Duration held, Steady now)> ended;
};

class LossSimulation {
 public:
  LossSimulation(const LossScenario& scenario, const LossGate& gate) : scenario_(scenario), gate_(gate) {}

  LossRun run() {
    const double all = std::accumulate(scenario_.parts.begin(), scenario_.parts.end(), 0.0);
    const double service = seconds(scenario_.service);
    const double rate = scenario_.load * scenario_.places / service;
    double time = 0;
    double used = 0;  // places times seconds of use
    for (unsigned i = 0; i < scenario_.requests; ++i) {
      const double before = time;
      time -= std::log(random()) / rate;
      used += end_until(before, time);
      const double draw = random() * all;
      // This time is drawn even if the request is refused, so that all gates see the same requests.
      const double takes = scenario_.random ? -service * std::log(random()) : service;
      const auto priority = draw < scenario_.parts[0]                        ? shed::Priority::critical
                            : draw < scenario_.parts[0] + scenario_.parts[1] ? shed::Priority::normal
                                                                             : shed::Priority::low;
      const bool counted = i >= scenario_.requests / 20;
      const auto at = static_cast<std::size_t>(priority);
      if (counted) run_.offered[at] += 1;
      if (gate_.admit(priority, static_cast<std::uint32_t>(held_.size()), steady(time)))
        held_.push({time + takes, takes, priority});
      else if (counted)
        run_.refused[at] += 1;
    }
    run_.in_use = used / time;
    return run_;
  }

 private:
  struct Held {
    double until;
    double took;
    shed::Priority priority;
    bool operator<(const Held& other) const noexcept { return until > other.until; }
  };

  static double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
  static LossGate::Steady steady(double time) {
    return LossGate::Steady(std::chrono::hours(1) + Duration(static_cast<Duration::rep>(time * 1e6)));
  }
  /// Ends the requests that are due between two times. Returns the time for which places were in use, summed over all
  /// places.
  double end_until(double from, double until) {
    double used = static_cast<double>(held_.size()) * (until - from);
    while (!held_.empty() && held_.top().until <= until) {
      const auto done = held_.top();
      held_.pop();
      used -= until - done.until;
      gate_.ended(done.priority, Duration(static_cast<Duration::rep>(done.took * 1e6)), steady(done.until));
    }
    return used;
  }
  double random() {  // splitmix64
    seed_ += 0x9E3779B97F4A7C15;
    auto z = seed_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 0.5) / 9007199254740992.0;
  }

  LossScenario scenario_;
  const LossGate& gate_;
  LossRun run_;
  std::priority_queue<Held> held_;
  std::uint64_t seed_ = 42;
};

}  // namespace headgate::test
