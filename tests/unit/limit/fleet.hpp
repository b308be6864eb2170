#pragma once
// Several gateways with one store, on a virtual clock. Each call takes time, and some are lost. For tests of leases.

#include "support/rules.hpp"

#include "headgate/limit/local.hpp"
#include "headgate/limit/memory_store.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace headgate::limit {

using namespace std::chrono_literals;

/// What one gateway has done.
struct Tally {
  std::uint64_t asked = 0;  ///< requests
  std::uint64_t admitted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t calls = 0;     ///< of any kind
  std::uint64_t taken = 0;     ///< tokens, as far as the gateway knows
  std::uint64_t refunded = 0;  ///< tokens
};

class Fleet {
 public:
  struct Trouble {
    double lost = 0;  ///< share of calls that are lost; half of these are counted in the store
    Duration least_latency{100};
    Duration most_latency{400};
  };

  /// Each assumes that there are `gateways` in total, or `sharers`.
  Fleet(std::size_t gateways, Trouble trouble, unsigned seed = 1, std::size_t sharers = 0)
      : trouble_(trouble), random_(seed) {
    for (std::size_t i = 0; i < gateways; ++i) {
      gateways_.push_back(
          std::make_unique<Gateway>(static_cast<std::uint32_t>(sharers > 0 ? sharers : gateways), seed * 1000 + i));
      sweep(*gateways_.back());
    }
  }

  Duration now() const noexcept { return now_; }
  const Tally& tally(std::size_t gateway) const { return gateways_[gateway]->tally; }
  Local& local(std::size_t gateway) { return gateways_[gateway]->local; }
  MemoryStore& store() noexcept { return store_; }
  Tally total() const {
    Tally sum;
    for (const auto& gateway : gateways_) {
      sum.asked += gateway->tally.asked;
      sum.admitted += gateway->tally.admitted;
      sum.rejected += gateway->tally.rejected;
      sum.unanswered += gateway->tally.unanswered;
      sum.calls += gateway->tally.calls;
      sum.taken += gateway->tally.taken;
      sum.refunded += gateway->tally.refunded;
    }
    return sum;
  }

  void at(Duration when, std::function<void()> what) { events_.push({when, ++order_, std::move(what)}); }
  void run_until(Duration end) {
    while (!events_.empty() && events_.top().when <= end) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.what();
    }
    now_ = end;
  }

  using Rejected = std::function<void(std::span<const Decision>)>;

  /// From now on, each direction of a call takes this time.
  void slow_down(Duration latency) { trouble_.least_latency = trouble_.most_latency = latency; }

  /// Called for each request that is rejected without a call.
  std::function<void(std::span<const Check>)> rejected_here;

  /// One request now. Calls `admitted` if it is allowed, else `rejected`.
  void request(std::size_t gateway, std::vector<Check> checks, std::function<void()> admitted, Rejected rejected = {}) {
    auto request =
        std::make_shared<Request>(*gateways_[gateway], std::move(checks), std::move(admitted), std::move(rejected));
    ++request->gateway.tally.asked;
    if (const auto here = request->gateway.local.decide(request->checks, moment(), request->decisions)) {
      if (!*here && rejected_here) rejected_here(request->checks);
      finish(*request, *here ? Local::Step::allowed : Local::Step::rejected);
    } else {
      begin(request);
    }
    refill(gateway_of(*request));
  }

  /// Ends all leases, as a gateway does when it stops.
  void stop(std::size_t gateway) {
    gateways_[gateway]->local.leases().end_all(moment());
    refund(*gateways_[gateway]);
  }

 private:
  struct Request;
  struct Gateway {
    Gateway(std::uint32_t sharers, std::uint64_t seed) : local({.sharers = sharers, .seed = seed}) {}
    Local local;
    Tally tally;
    Duration last_there{0};  // a connection keeps the order of its calls
    std::map<Leases::Id, std::vector<std::shared_ptr<Request>>> waiting;
  };
  struct Request {
    Request(Gateway& in, std::vector<Check> what, std::function<void()> then, Rejected or_then)
        : gateway(in),
          checks(std::move(what)),
          decisions(checks.size()),
          admitted(std::move(then)),
          rejected(std::move(or_then)),
          attempt(checks, decisions) {}
    Gateway& gateway;
    std::vector<Check> checks;
    std::vector<Decision> decisions;
    std::function<void()> admitted;
    Rejected rejected;
    PendingDecision attempt;
  };
  struct Event {
    Duration when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& other) const { return when != other.when ? when > other.when : order > other.order; }
  };

  static Gateway& gateway_of(Request& request) { return request.gateway; }
  Moment moment() const noexcept { return Moment(1h + now_); }

  void finish(Request& request, Local::Step step) {
    auto& tally = request.gateway.tally;
    ++(step == Local::Step::allowed    ? tally.admitted
       : step == Local::Step::rejected ? tally.rejected
                                       : tally.unanswered);
    if (step == Local::Step::allowed && request.admitted) request.admitted();
    if (step == Local::Step::rejected && request.rejected) request.rejected(request.decisions);
  }

  void begin(const std::shared_ptr<Request>& request) {
    const auto step = request->gateway.local.begin(request->attempt, moment());
    if (step == Local::Step::wait) {
      request->gateway.waiting[request->attempt.awaited()].push_back(request);
    } else if (step == Local::Step::check) {
      send(request);
    } else {
      finish(*request, step);
    }
  }

  void send(const std::shared_ptr<Request>& request) {
    if (request->gateway.local.leases().owes()) refund(request->gateway);
    const auto sent = request->attempt.sent();
    call(request->gateway, {sent.begin(), sent.end()}, [this, request](Local::Answer answer, auto& told) {
      std::copy(told.begin(), told.end(), request->attempt.told().begin());
      if (answer == Local::Answer::agreed)
        for (const auto& check : request->attempt.sent())
          request->gateway.tally.taken += static_cast<std::uint64_t>(check.cost);
      const auto step = request->gateway.local.end(request->attempt, answer, moment());
      if (step == Local::Step::check) return send(request);
      finish(*request, step);
      refill(request->gateway);  // before the waiting requests continue
      for (const auto lease : request->attempt.refilled()) wake(request->gateway, lease);
    });
  }

  void wake(Gateway& gateway, Leases::Id lease) {
    const auto woken = std::exchange(gateway.waiting[lease], {});
    for (const auto& request : woken) begin(request);
  }

  void refill(Gateway& gateway) {
    while (const auto refill = gateway.local.leases().next_refill(moment())) {
      call(gateway, {refill->check}, [this, &gateway, refill, asked = moment()](Local::Answer answer, auto& told) {
        if (answer == Local::Answer::agreed) gateway.tally.taken += static_cast<std::uint64_t>(refill->check.cost);
        if (told.empty()) told.resize(1);
        gateway.local.fetched(*refill, answer, told[0], asked, moment());
        wake(gateway, refill->lease);
      });
    }
  }

  void sweep(Gateway& gateway) {
    gateway.local.leases().sweep(moment());
    refund(gateway);
    at(now_ + Leases::kSweep, [this, &gateway] { sweep(gateway); });
  }

  void refund(Gateway& gateway) {
    while (const auto refill = gateway.local.leases().next_refund()) {
      call(gateway, {refill->check}, [&gateway, refill](Local::Answer answer, auto&) {
        if (answer != Local::Answer::none) gateway.tally.refunded += static_cast<std::uint64_t>(-refill->check.cost);
        gateway.local.given_back({&refill->check, 1});
        gateway.local.leases().refunded(refill->lease);
      });
    }
  }

  using Then = std::function<void(Local::Answer, std::vector<Decision>&)>;
  void call(Gateway& gateway, std::vector<Check> checks, Then then) {
    ++gateway.tally.calls;
    const auto there = gateway.last_there = std::max(gateway.last_there, now_ + latency());
    const bool lost = std::uniform_real_distribution<>(0, 1)(random_) < trouble_.lost;
    if (lost && random_() % 2 == 0) {
      at(now_ + 20ms, [then] { answer_nothing(then); });
      return;
    }
    at(there, [this, checks = std::move(checks), then, lost, sent = now_] {
      auto told = std::make_shared<std::vector<Decision>>(checks.size());
      const bool agreed = store_.decide(checks, test::kStart + now_, *told);
      if (lost) return at(sent + 20ms, [then] { answer_nothing(then); });
      at(now_ + latency(), [=] { then(agreed ? Local::Answer::agreed : Local::Answer::rejected, *told); });
    });
  }
  static void answer_nothing(const Then& then) {
    std::vector<Decision> nothing;
    then(Local::Answer::none, nothing);
  }
  Duration latency() {
    return Duration(std::uniform_int_distribution<std::int64_t>(trouble_.least_latency.count(),
                                                                trouble_.most_latency.count())(random_));
  }

  Trouble trouble_;
  std::mt19937 random_;
  Duration now_{0};
  std::uint64_t order_ = 0;
  MemoryStore store_{{.max_keys = 100'000}};
  std::vector<std::unique_ptr<Gateway>> gateways_;
  std::priority_queue<Event> events_;
};

}  // namespace headgate::limit
