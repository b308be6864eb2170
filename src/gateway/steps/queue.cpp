// Waits for a place at an upstream that is full, in an order that is fair between callers.

#include "gateway/exchange/deadline.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/limit_key.hpp"
#include "shed.hpp"
#include "steps.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// A waiting request, in the frame of its coroutine.
struct Waiting : shed::Waiter {
  Waiting(Exchange& exchange, shed::Concurrency& at, Delay& until) : x(exchange), concurrency(at), delay(until) {
    priority = x.shedding.effective;
    admitted = [](shed::Waiter& self) { static_cast<Waiting&>(self).take_place(); };
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { concurrency.queue()->remove(*this); }

  void take_place() {
    x.shedding.slot.take(concurrency, priority, x.clock->steady());
    delay.end();
  }

  Exchange& x;
  shed::Concurrency& concurrency;
  Delay& delay;
};

/// Returns how long the request may wait. After that time, its client no longer waits for an answer.
Duration patience_of(const Exchange& x, const shed::Concurrency& concurrency) {
  auto out = std::min(x.route->upstream_options->concurrency->queue->wait, x.route->timeout);
  if (const auto left = time_left(x)) out = std::min(out, *left - concurrency.usual_latency());
  return out;
}

}  // namespace

bool waits_for_place(Path& /*path*/, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  return concurrency && concurrency->queue() && !concurrency->admits_now(x.shedding.effective);
}

// Waits for a place. If the request gets none, it is refused, and the permits of its limits are returned.
Task<MaybeProblem> wait_for_place(Path& path, Exchange& x) {
  if (x.client_gone) co_return MaybeProblem{};
  auto& concurrency = *concurrency_of(x);
  const auto since = path.services.clock.steady();
  const auto patience = patience_of(x, concurrency);
  if (patience > Duration(0)) {
    Delay delay(path.services.clock, patience, Delay::For::place);
    Waiting waiting(x, concurrency, delay);
    waiting.key = line_of(x);
    auto* const leaves = concurrency.queue()->push(waiting);
    if (leaves != nullptr && leaves != &waiting) static_cast<Waiting*>(leaves)->delay.end();
    if (leaves != &waiting) {
      show_concurrency(path, x, concurrency);
      x.delay = &delay;
      co_await delay;
      x.delay = nullptr;
    }
  }
  x.shedding.queued = std::chrono::duration_cast<Duration>(path.services.clock.steady() - since);
  show_concurrency(path, x, concurrency);
  if (x.shedding.slot.held() || x.client_gone) co_return MaybeProblem{};
  concurrency.refused(x.shedding.effective, path.services.clock.steady());
  co_return shed_problem(x, shed::Layer::queue, seconds_up(limit::kFlightRetry));
}

}  // namespace headgate::gateway
