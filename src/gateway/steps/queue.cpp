// Waits for a place at an upstream that has as many requests as it can take, in an order that is fair to callers.

#include "queue.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/limit_key.hpp"
#include "shed.hpp"
#include "steps.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::gateway {
namespace {

/// One request that waits, in the frame of its coroutine.
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

/// How long it may wait: after that nobody waits for its answer any more.
Duration patience_of(const Exchange& x, const shed::Concurrency& concurrency) {
  auto out = std::min(x.route->queue->concurrency->queue->wait, x.route->timeout);
  const auto deadline = deadline_in(http::value_of(x.request.fields, "x-request-deadline"));
  if (deadline) out = std::min(out, *deadline - x.clock->wall() - concurrency.usual_latency());
  return out;
}

}  // namespace

Hash line_of(Exchange& x) {
  const auto* const queue = x.route->queue;
  const auto key = queue == nullptr || queue->queue_per.empty() ? std::nullopt : key_of(x, queue->queue_per);
  return key ? keyed_hash(*key, 1) : keyed_hash(x.caller.ip_key, 0);
}

std::optional<Instant> deadline_in(std::string_view value) noexcept {
  constexpr std::int64_t kMaxSeconds = 100'000'000'000;  // the year 5138
  const auto dot = std::min(value.find('.'), value.size());
  const auto whole = value.substr(0, dot);
  const auto fraction = value.substr(std::min(dot + 1, value.size()));
  if (whole.empty() || fraction.size() > 6 || (dot < value.size() && fraction.empty()) ||
      whole.find_first_not_of("0123456789") != std::string_view::npos ||
      fraction.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::int64_t seconds = 0;
  if (std::from_chars(whole.data(), whole.data() + whole.size(), seconds).ec != std::errc() || seconds > kMaxSeconds)
    return std::nullopt;
  std::int64_t micros = 0;
  for (std::size_t i = 0; i < 6; ++i) micros = micros * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return Instant(std::chrono::seconds(seconds)) + Duration(micros);
}

bool waits_for_place(Path& /*path*/, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  return concurrency && concurrency->queue() && !concurrency->admits_now(x.shedding.effective);
}

// Without a place at the end, the request is refused and gives back what limits took for it.
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
      x.snapshot->counters->show(x.route->upstream, concurrency);
      x.delay = &delay;
      co_await delay;
      x.delay = nullptr;
    }
  }
  x.shedding.queued = std::chrono::duration_cast<Duration>(path.services.clock.steady() - since);
  x.snapshot->counters->show(x.route->upstream, concurrency);
  if (x.shedding.slot.held() || x.client_gone) co_return MaybeProblem{};
  concurrency.refused(x.shedding.effective, path.services.clock.steady());
  co_return shed_problem(x, shed::Layer::queue, seconds_up(limit::kFlightRetry));
}

}  // namespace headgate::gateway
