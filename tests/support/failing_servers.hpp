#pragma once
// Simulates servers that fail, behind a balancing policy and a watch as in the gateway. The clock is virtual, and the
// random numbers are the same in each run.

#include "headgate/balance/policy.hpp"
#include "headgate/balance/watch.hpp"
#include "headgate/core/hash.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

namespace headgate::test {

enum class Behaviour : std::uint8_t {
  healthy,
  gone,   ///< refuses connections
  hangs,  ///< accepts requests, but never answers
  fails,  ///< answers 500 at once
  slow    ///< takes forty times as long as usual
};

/// The behaviour of a server from a given time on.
struct SceneChange {
  Duration at{0};
  std::size_t server = 0;
  Behaviour does = Behaviour::healthy;
};

struct FailureStory {
  std::string name{};
  std::size_t servers = 2;
  std::vector<SceneChange> turns{};
  Duration until{0};
  double rate = 100;         ///< requests per second
  Duration latency{10'000};  ///< mean of the random part of an answer's time; the constant part is as long
  Duration timeout = std::chrono::seconds(10);  ///< timeout of a request
  balance::EjectOptions eject{};
  unsigned workers = 2;
};

/// The counts of a tenth of a second.
struct FailureTick {
  double asked = 0;
  double failed = 0;  ///< number of requests that ended with an error
  double late = 0;    ///< number of requests that took more than ten times the mean
  std::vector<double> sent;
  std::vector<bool> out;
};

struct FailureRun {
  static constexpr Duration kTick = std::chrono::milliseconds(100);
  std::vector<FailureTick> ticks;
  std::vector<std::pair<Duration, balance::EjectChange>> changes;

  double sum(double FailureTick::*what, Duration from, Duration to) const {
    double out = 0;
    for (auto at = from / kTick; at < to / kTick; ++at) out += ticks[static_cast<std::size_t>(at)].*what;
    return out;
  }
  /// Returns the number of requests that were sent to a server between two times.
  double sent(std::size_t server, Duration from, Duration to) const {
    double out = 0;
    for (auto at = from / kTick; at < to / kTick; ++at) out += ticks[static_cast<std::size_t>(at)].sent[server];
    return out;
  }
  /// Returns the time after `from` at which this happened to a server for the first time; nothing if it never did.
  std::optional<Duration> when(balance::EjectChange::What what, std::size_t server, Duration from = Duration(0)) const {
    for (const auto& [at, change] : changes)
      if (at >= from && change.at == server && change.what == what) return at;
    return std::nullopt;
  }
};

class FailingServers {
 public:
  FailingServers(const FailureStory& story, const balance::Policy& policy)
      : story_(story), policy_(policy), watch_(options(story), nullptr), does_(story.servers, Behaviour::healthy) {
    for (unsigned i = 0; i < story.workers; ++i) {
      auto& worker = workers_.emplace_back(story.servers);
      worker.seed = workers_.size();
      for (std::size_t at = 0; at < story.servers; ++at)
        worker.table[at].hash = stable_hash("server " + std::to_string(at));
      worker.part = watch_.join(worker.table);
    }
    run_.ticks.resize(static_cast<std::size_t>(story.until / FailureRun::kTick) + 1);
    for (auto& tick : run_.ticks) {
      tick.sent.resize(story.servers);
      tick.out.resize(story.servers);
    }
  }

  FailureRun run() {
    for (const auto& turn : story_.turns) later(turn.at, [this, turn] { does_[turn.server] = turn.does; });
    arrive();
    tick();
    while (!events_.empty() && events_.top().at <= story_.until) {
      const auto event = events_.top();
      events_.pop();
      now_ = event.at;
      event.what();
    }
    return std::move(run_);
  }

 private:
  struct Event {
    Duration at;
    std::uint64_t number;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return at != other.at ? at > other.at : number > other.number;  // the earliest is on top
    }
  };
  struct Worker {
    explicit Worker(std::size_t servers) : table(servers) {}
    balance::Table table;
    std::shared_ptr<balance::WatchPart> part;
    std::uint64_t turn = 0;
    std::uint64_t seed = 0;
  };
  struct Request {
    Duration asked{0};
    Worker* worker = nullptr;
    std::size_t server = 0;
    balance::AttemptTally counted;
  };
  using Outcome = balance::AttemptOutcome;

  static balance::WatchOptions options(const FailureStory& story) {
    balance::WatchOptions out{.servers = {}, .eject = story.eject, .circuit = {}};
    for (std::size_t i = 0; i < story.servers; ++i) out.servers.push_back("server " + std::to_string(i));
    return out;
  }
  balance::Watch::Steady steady() const { return balance::Watch::Steady(std::chrono::hours(1) + now_); }
  void later(Duration at, std::function<void()> what) { events_.push({at, ++numbered_, std::move(what)}); }
  FailureTick& tick_of(Duration at) { return run_.ticks[static_cast<std::size_t>(at / FailureRun::kTick)]; }
  double random() {  // xorshift, which is the same on every machine
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }

  void arrive() {
    if (story_.rate <= 0) return;
    const Duration between(static_cast<Duration::rep>(1e6 / story_.rate * (0.5 + random())));
    later(now_ + between, [this] {
      Request request;
      request.asked = now_;
      request.worker = &workers_[static_cast<std::size_t>(random() * static_cast<double>(workers_.size()))];
      tick_of(now_).asked += 1;
      balance::Choice choice;
      choice.key = static_cast<std::uint64_t>(random() * 1000) * 0x9e3779b97f4a7c15ULL;
      start(request, choice);
      arrive();
    });
  }

  /// Chooses a server as ServerGroup does. A server that is to be probed comes first, and a server that cannot be
  /// connected to is skipped.
  void start(Request request, balance::Choice& choice) {
    auto& worker = *request.worker;
    std::optional<std::size_t> at;
    bool trial = false;
    if (const auto number = worker.part->trial.exchange(0); number > 0) {
      at = number - 1;
      trial = true;
    } else {
      at = policy_.choose(worker.table, ask_for(worker, choice));
    }
    while (at) {
      ++worker.turn;
      auto& server = worker.table[*at];
      tick_of(now_).sent[*at] += 1;
      if (does_[*at] != Behaviour::gone) return ask(request, *at, trial);
      server.tally.fail(Outcome::no_connection, std::exchange(trial, false));
      balance::note_failure(worker.table, *at, Duration(0), clock());
      choice.tried.add(*at);
      at = policy_.choose(worker.table, ask_for(worker, choice));
    }
    tick_of(request.asked).failed += 1;
  }

  balance::PickArgs ask_for(const Worker& worker, const balance::Choice& choice) const {
    return {.turn = worker.turn, .seed = worker.seed, .now = clock(), .choice = &choice};
  }
  /// The time in ns, as on a worker's clock.
  std::int64_t clock() const { return steady().time_since_epoch().count(); }

  void ask(Request request, std::size_t at, bool trial) {
    auto& server = request.worker->table[at];
    request.server = at;
    server.tally.begin(request.counted);
    request.counted.trial = trial;
    server.tally.ask(request.counted);
    ++server.in_flight;
    auto takes = Duration(
        static_cast<Duration::rep>(static_cast<double>(story_.latency.count()) / 2 * (1 - std::log(1 - random()))));
    if (does_[at] == Behaviour::fails) takes /= 10;
    if (does_[at] == Behaviour::slow) takes *= 40;
    if (does_[at] == Behaviour::hangs) return give_up(request);
    later(now_ + takes, [this, request]() mutable { answer(request); });
  }

  void give_up(Request request) {
    later(request.asked + story_.timeout, [this, request]() mutable { end(request, Outcome::timeout); });
  }

  void answer(Request request) {
    switch (does_[request.server]) {
      case Behaviour::hangs:
        return give_up(request);
      case Behaviour::gone:
        return end(request, Outcome::broken);
      case Behaviour::fails:
        return end(request, Outcome::server_error);
      case Behaviour::healthy:
      case Behaviour::slow:
        return end(request, Outcome::answered);
    }
  }

  void end(Request& request, Outcome outcome) {
    auto& server = request.worker->table[request.server];
    const auto took = now_ - request.asked;
    const bool head = outcome == Outcome::answered || outcome == Outcome::server_error;
    server.tally.note(request.counted, outcome, head ? took : Duration(-1));
    server.tally.end(request.counted);
    --server.in_flight;
    if (outcome == Outcome::answered)
      balance::note_latency(server, took, clock());
    else
      balance::note_failure(request.worker->table, request.server, head ? took : Duration(0), clock());
    if (outcome != Outcome::answered)
      tick_of(request.asked).failed += 1;
    else if (took > story_.latency * 10)
      tick_of(request.asked).late += 1;
  }

  void tick() {
    for (const auto& change : watch_.tick(steady()).servers) run_.changes.emplace_back(now_, change);
    for (std::size_t i = 0; i < story_.servers; ++i) {
      const bool out = (workers_[0].table[i].out & balance::kEjected) != 0;
      for (auto at = now_; at < std::min(now_ + std::chrono::milliseconds(300), story_.until); at += FailureRun::kTick)
        tick_of(at).out[i] = out;
    }
    later(now_ + std::chrono::milliseconds(250), [this] { tick(); });
  }

  const FailureStory story_;
  const balance::Policy& policy_;
  balance::Watch watch_;
  std::vector<Behaviour> does_;
  std::vector<Worker> workers_;
  std::priority_queue<Event> events_;
  std::uint64_t numbered_ = 0;
  std::uint64_t state_ = 0x2545F4914F6CDD1DULL;
  Duration now_{0};
  FailureRun run_;
};

inline FailureRun simulate(const FailureStory& story, const balance::Policy& policy) {
  return FailingServers(story, policy).run();
}

/// Returns the scenarios: a hundred requests per second to four servers, or to two, for two minutes.
inline std::vector<FailureStory> failure_stories() {
  using namespace std::chrono_literals;
  using enum Behaviour;
  FailureStory flapping{.name = "flapping", .servers = 4, .until = 120s};
  for (auto at = 10s; at < 70s; at += 10s) {
    flapping.turns.push_back({at, 1, fails});
    flapping.turns.push_back({at + 5s, 1, healthy});
  }
  return {
      {.name = "crash", .servers = 4, .turns = {{10s, 1, gone}, {60s, 1, healthy}}, .until = 120s},
      {.name = "hang", .servers = 4, .turns = {{10s, 1, hangs}, {60s, 1, healthy}}, .until = 120s},
      {.name = "slow", .servers = 4, .turns = {{10s, 1, slow}, {60s, 1, healthy}}, .until = 120s, .rate = 400},
      flapping,
      {.name = "half",
       .servers = 4,
       .turns = {{10s, 1, hangs}, {10s, 2, fails}, {60s, 1, healthy}, {60s, 2, healthy}},
       .until = 120s},
  };
}

}  // namespace headgate::test
