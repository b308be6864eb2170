// A busy tenant beside a quiet one, at an upstream with a fixed number of places, on a virtual clock.

#include "headgate/shed/concurrency.hpp"
#include "headgate/shed/slot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace headgate::shed {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kPlaces = 40;

/// The latencies of the quiet tenant, which asks every 200 ms. `backlog`: how many requests the busy one has waiting
/// all the time.
class Tenants {
 public:
  explicit Tenants(unsigned backlog)
      : concurrency_({.adaptive = ConcurrencyRange{.least = kPlaces, .most = kPlaces},
                      .queue = QueueOptions{.length = 2000, .wait = 1min}}),
        backlog_(backlog) {}

  std::vector<Duration> run() {
    for (unsigned i = 0; i < backlog_; ++i) ask(false);
    for (int i = 0; i < 1000; ++i) at(200ms * i, [this] { ask(true); });
    while (!events_.empty() && events_.top().at < 200ms * 1000) {
      const auto event = events_.top();
      events_.pop();
      now_ = event.at;
      event.what();
    }
    auto out = std::move(latencies_);
    for (auto& request : requests_) concurrency_.queue()->remove(request);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  struct Request : Waiter {
    Tenants* tenants = nullptr;
    bool quiet = false;
    Duration asked{0};
  };
  struct Event {
    Duration at;
    std::function<void()> what;
    bool operator<(const Event& other) const noexcept { return at > other.at; }
  };

  void at(Duration when, std::function<void()> what) { events_.push({when, std::move(what)}); }

  void ask(bool quiet) {
    auto& request = requests_.emplace_back();
    request.tenants = this;
    request.quiet = quiet;
    request.asked = now_;
    request.key = Hash{quiet ? 1U : 2U, 0};
    request.admitted = [](Waiter& self) {
      auto& admitted = static_cast<Request&>(self);
      admitted.tenants->work(admitted);
    };
    if (concurrency_.admits_now(Priority::normal)) return work(request);
    EXPECT_EQ(concurrency_.queue()->push(request), nullptr);
  }
  void work(Request& request) {
    concurrency_.enter(Priority::normal);
    const auto takes = std::chrono::milliseconds(40 + random_() % 21);
    at(now_ + takes, [this, &request] {
      if (request.quiet) latencies_.push_back(now_ - request.asked);
      concurrency_.left(Priority::normal);
      if (!request.quiet) ask(false);  // as many wait as before
    });
  }

  Concurrency concurrency_;
  const unsigned backlog_;
  std::mt19937 random_{3};
  std::deque<Request> requests_;
  std::priority_queue<Event> events_;
  Duration now_{0};
  std::vector<Duration> latencies_;
};

TEST(Fairness, ATenantWithAThousandWaitingRequestsDelaysOneWithOneByLessThanATenth) {
  const auto alone = Tenants(0).run();
  const auto beside = Tenants(1000).run();
  ASSERT_GE(beside.size(), 990u);
  const auto p99 = [](const std::vector<Duration>& sorted) { return sorted[sorted.size() * 99 / 100].count(); };
  EXPECT_EQ(p99(alone), 60'000);
  EXPECT_LE(p99(beside), p99(alone) * 11 / 10);
}

}  // namespace
}  // namespace headgate::shed
