#pragma once
// Requests to servers that take their time, on a virtual clock: what a policy makes of it.

#include "headgate/balance/policy.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace headgate::balance::test {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// How a server of a test behaves.
struct Behaviour {
  Duration takes = milliseconds(10);
  bool fails = false;
};

/// One worker's requests to one upstream. Single use.
class Traffic {
 public:
  Traffic(std::string_view policy, std::size_t servers, std::uint64_t seed = 1)
      : table(servers), behaviours(servers), chosen(servers, 0), policy_(*find_policy(policy)), random_(seed) {
    for (std::size_t at = 0; at < servers; ++at) table[at].hash = random_();
    seed_ = random_();
  }

  Table table;
  std::vector<Behaviour> behaviours;
  std::vector<std::uint64_t> chosen;             ///< how often each server was
  std::function<std::uint64_t()> key = nullptr;  ///< of the next request
  std::uint64_t turn = 0;

  std::int64_t now() const noexcept { return now_; }
  std::uint64_t random() { return random_(); }

  /// Sends a request `apart` after another, at times that vary around that, for so long.
  void run(Duration time, Duration apart) {
    const auto until = now_ + ns(time);
    std::exponential_distribution<double> wait(1.0 / static_cast<double>(ns(apart)));
    auto next = now_;
    while (next < until) {
      pass_to(next);
      send();
      next += 1 + static_cast<std::int64_t>(wait(random_));
    }
    pass_to(until);
  }

  /// Sends one request; ends it when its server has taken its time.
  std::size_t send() {
    Choice choice;
    if (key) choice.key = key();
    const auto at = *policy_.choose(table, {.turn = turn++, .seed = seed_, .now = now_, .choice = &choice});
    ++chosen[at];
    add_in_flight(table[at], 1);
    under_way_.push({now_ + ns(behaviours[at].takes), at, behaviours[at]});
    return at;
  }

  void pass(Duration time) { pass_to(now_ + ns(time)); }

  /// The part of all requests that this server was given.
  double share(std::size_t at) const {
    double all = 0;
    for (const auto each : chosen) all += static_cast<double>(each);
    return static_cast<double>(chosen[at]) / all;
  }
  void forget() { chosen.assign(chosen.size(), 0); }

 private:
  struct UnderWay {
    std::int64_t ends;
    std::size_t at;
    Behaviour how;
    bool operator<(const UnderWay& other) const { return ends > other.ends; }
  };
  static std::int64_t ns(Duration time) { return std::chrono::nanoseconds(time).count(); }

  void pass_to(std::int64_t until) {
    while (!under_way_.empty() && under_way_.top().ends <= until) {
      const auto done = under_way_.top();
      under_way_.pop();
      now_ = done.ends;
      add_in_flight(table[done.at], -1);
      if (done.how.fails)
        note_failure(table, done.at, done.how.takes, now_);
      else
        note_latency(table[done.at], done.how.takes, now_);
    }
    now_ = until;
  }

  const Policy& policy_;
  std::mt19937_64 random_;
  std::uint64_t seed_ = 0;
  std::int64_t now_ = std::chrono::nanoseconds(seconds(1000)).count();
  std::priority_queue<UnderWay> under_way_;
};

}  // namespace headgate::balance::test
