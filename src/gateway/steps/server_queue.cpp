// Waits for a place at a server if servers have a maximum number of concurrent requests. Places go to the highest
// priority first and, within one priority, fairly to callers, across all workers. The place is taken here and not in
// the relay. So a request without a place is refused like any other request that load shedding refuses, and the permits
// of its limits are returned.

#include "gateway/exchange/deadline.hpp"
#include "gateway/limits/limit_key.hpp"
#include "gateway/limits/turns.hpp"
#include "gateway/steps/table.hpp"
#include "shed.hpp"
#include "steps.hpp"

#include "headgate/observe/families/upstreams.hpp"
#include "headgate/shed/overload.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

/// The interval at which the first request of a queue looks for a place even without a notification, because a worker
/// gets no message when a server becomes free or comes back.
constexpr Duration kLookAgain = std::chrono::milliseconds(100);
constexpr std::uint64_t kLongestServerWait = 60;

upstream::Upstream& upstream_of(const Exchange& x) { return *x.snapshot->upstreams[x.route->upstream]; }

/// The number of places at the servers, and how many of them this request may use.
struct Places {
  shed::Overload* overload = nullptr;  ///< null if servers have no maximum number of requests
  upstream::PlaceUse use;
  std::uint32_t ceiling = 0;

  std::uint32_t free() const noexcept { return use.most - std::min(use.most, use.taken); }
};

Places places_of(const Exchange& x) {
  Places out;
  auto& upstream = upstream_of(x);
  auto* const overload = upstream.overload();
  if (overload) out.use = upstream.place_use();
  if (out.use.most == 0) return out;
  out.overload = overload;
  out.ceiling = overload->ceiling(shed::Layer::servers, x.shedding.effective, out.use.most, out.use.most);
  return out;
}

/// Chooses a server as the relay would. Returns false if none has a free place, or if all free places are reserved for
/// higher priorities.
bool reserve(Exchange& x) {
  const auto places = places_of(x);
  if (places.overload && places.use.taken >= places.ceiling) return false;
  balance::Choice choice;
  choice.key = server_key(x);
  if (!upstream_of(x).reserve(choice)) return false;
  if (places.overload) {
    x.shedding.server_since = x.clock->steady();
    places.overload->admitted(shed::Layer::servers, x.shedding.effective, places.free() - 1, *x.shedding.server_since);
  }
  x.shedding.server_place = std::move(choice.place);
  return true;
}

enum class At : std::uint8_t { first, end };

/// Counts the refusal of a request that finds no place. At the start of the wait, the refusal is counted only if a
/// place is free but reserved for a higher priority; at the end it is always counted. Returns whether it was counted.
bool note_refused(const Exchange& x, At at) {
  const auto places = places_of(x);
  const bool held = places.overload && places.free() > 0 && places.use.taken >= places.ceiling;
  if (!places.overload || (at == At::first && !held)) return false;
  places.overload->refused(shed::Layer::servers, x.shedding.effective, held ? places.free() : 0, places.use.most,
                           x.clock->steady());
  return true;
}

/// Returns how long the request may wait. After that time, its client no longer waits for an answer.
Duration patience_for_server(const Exchange& x) {
  auto out = std::min(x.route->server_queue->wait, x.route->timeout);
  if (const auto left = time_left(x)) out = std::min(out, *left);
  return out;
}

/// Returns the estimated number of seconds until the servers have finished one request more than the queue can hold.
std::uint64_t retry_after_of(const Exchange& x) {
  const auto time = upstream_of(x).time_for(std::size_t{x.route->server_queue->length} + 1);
  const auto seconds = (time.count() + 999'999) / 1'000'000;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(seconds), 1, kLongestServerWait);
}

/// The wait of one request.
class ServerTurn final : public InLine {
 public:
  ServerTurn(Turns& turns, Exchange& x) : InLine(turns, x), until_(x.clock->steady() + patience_for_server(x)) {
    priority = x.shedding.effective;
    line = keyed_hash(x.caller.ip_key, 0);
  }

  /// Waits for a place. Returns whether the request has got one.
  Task<bool> wait() {
    const auto& queue = *x_.route->server_queue;
    if (queue.length == 0 || left() <= Duration(0)) co_return false;
    if (!stand_in(x_.route->server_queue_key, queue.length)) co_return false;
    for (;;) {
      if (!queued()) co_return false;  // the queue is full
      const bool first = is_first();
      called_ = false;
      if (first && reserve(x_)) co_return true;
      const auto time = first ? std::min(left(), kLookAgain) : left();
      if (time <= Duration(0)) co_return false;
      co_await wait_for_turn(time);
      if (x_.client_gone) co_return false;
    }
  }

 private:
  Duration left() const { return std::chrono::duration_cast<Duration>(until_ - x_.clock->steady()); }

  Clock::Steady until_;
};

/// The numbers of requests of this worker that wait for a place at a server. The counts continue after a reload.
class ServerQueueCounters {
 public:
  static constexpr Step kStep = Step::server_queue;
  explicit ServerQueueCounters(const Counting& counting) {
    const auto& upstreams = counting.compiled.upstreams();
    waiting_.resize(upstreams.size());
    for (const auto* const route : counting.compiled.serving()) {
      if (!route->takes(kStep) || route->server_queue->length == 0) continue;  // the route may have no upstream
      const auto& own = upstreams[route->upstream].concurrency;
      if (own && own->adaptive && own->queue) continue;  // that queue has this gauge already
      waiting_[route->upstream] = &counting.registry.gauge(observe::family::queue_waiting,
                                                           {route->upstream_name, std::to_string(counting.worker)});
    }
  }
  void waits(std::size_t upstream, int more) const noexcept {
    if (auto* const gauge = waiting_[upstream]) gauge->set(gauge->read() + more);
  }

 private:
  std::vector<observe::Gauge*> waiting_;  ///< by Route::upstream; null where no request can wait for servers
};

}  // namespace

constexpr StepCounts kServerQueueCounts = counts_in<ServerQueueCounters>();

bool waits_for_server(Path& path, Exchange& x) {
  if (x.client_gone) return false;
  return path.turns->anyone_waits(x.route->server_queue_key) || !reserve(x);
}

Task<MaybeProblem> wait_for_server(Path& path, Exchange& x) {
  const auto since = path.services.clock.steady();
  const bool noted = note_refused(x, At::first);
  bool placed = false;
  {
    const auto& counters = x.snapshot->counters->of<ServerQueueCounters>();
    ServerTurn turn(*path.turns, x);
    counters.waits(x.route->upstream, 1);
    placed = co_await turn.wait();
    counters.waits(x.route->upstream, -1);
  }
  x.shedding.queued += std::chrono::duration_cast<Duration>(path.services.clock.steady() - since);
  if (placed || x.client_gone) co_return MaybeProblem{};
  if (!noted) note_refused(x, At::end);
  co_return shed_problem(x, shed::Layer::servers, retry_after_of(x));
}

// When an exchange ends, its attempts are over and their places are free, whatever the result is. The first waiting
// request is notified.
void leave_server(Path& path, Exchange& x) {
  if (x.shedding.server_place.held()) x.shedding.server_place = {};
  if (x.shedding.server_since)
    upstream_of(x).overload()->ended(
        shed::Layer::servers, std::chrono::duration_cast<Duration>(x.clock->steady() - *x.shedding.server_since));
  path.turns->freed(x.route->server_queue_key);
}

}  // namespace headgate::gateway
