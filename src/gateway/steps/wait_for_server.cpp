// Waits for a place at a server where servers may have only so many requests at the same time: by priority, and in each
// one caller after the other, on all workers. The place is taken here and not in the relay, so that a request that
// finds none is refused like any other that load shedding refuses: it gives back what limits took for it.

#include "deadline.hpp"
#include "gateway/limits/turns.hpp"
#include "gateway/servers/relay.hpp"
#include "queue.hpp"
#include "shed.hpp"
#include "steps.hpp"

#include "headgate/shed/overload.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

/// How often the first of a queue looks by itself: a server may have become free or come back without anybody here
/// being told.
constexpr Duration kLookAgain = std::chrono::milliseconds(100);
constexpr std::uint64_t kLongestServerWait = 60;

upstream::Upstream& upstream_of(const Exchange& x) { return *x.snapshot->upstreams[x.route->upstream]; }

/// Chooses a server as the relay would. False: none has a free place, or all that are free are held for higher
/// priorities.
bool reserve(Exchange& x) {
  auto& upstream = upstream_of(x);
  auto* const overload = upstream.overload();
  const auto use = overload ? upstream.place_use() : upstream::PlaceUse();
  const auto most =
      use.most > 0 ? overload->ceiling(shed::Layer::servers, x.shedding.effective, use.most, use.most) : 0;
  if (use.most > 0 && use.taken >= most) return false;
  balance::Choice choice;
  choice.key = server_key(x);
  if (!upstream.reserve(choice)) return false;
  if (use.most > 0)
    overload->admitted(shed::Layer::servers, x.shedding.effective, most - use.taken - 1, x.clock->steady());
  x.shedding.server_place = std::move(choice.place);
  return true;
}

/// How long the request may wait: after that nobody waits for its answer any more.
Duration patience_for_server(const Exchange& x) {
  auto out = std::min(x.route->server_queue->wait, x.route->timeout);
  if (const auto left = time_left(x)) out = std::min(out, *left);
  return out;
}

/// In how many seconds the servers will have ended as many requests as may wait, and one more.
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

  /// Returns whether it has a place now.
  Task<bool> wait() {
    const auto& queue = *x_.route->server_queue;
    if (queue.length == 0 || left() <= Duration(0)) co_return false;
    if (!stand_in(x_.route->server_queue_key, queue.length)) co_return false;
    for (;;) {
      if (!queued()) co_return false;  // another one has its place in the queue
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

}  // namespace

bool waits_for_server(Path& path, Exchange& x) {
  if (x.client_gone) return false;
  return path.turns->anyone_waits(x.route->server_queue_key) || !reserve(x);
}

Task<MaybeProblem> wait_for_server(Path& path, Exchange& x) {
  const auto since = path.services.clock.steady();
  bool placed = false;
  {
    const auto& counters = *x.snapshot->counters;
    ServerTurn turn(*path.turns, x);
    counters.waits(x.route->upstream, 1);
    placed = co_await turn.wait();
    counters.waits(x.route->upstream, -1);
  }
  x.shedding.queued += std::chrono::duration_cast<Duration>(path.services.clock.steady() - since);
  if (placed || x.client_gone) co_return MaybeProblem{};
  if (auto* const overload = upstream_of(x).overload())
    if (const auto use = upstream_of(x).place_use(); use.most > 0)
      overload->refused(shed::Layer::servers, x.shedding.effective, use.most, path.services.clock.steady());
  co_return shed_problem(x, shed::Layer::servers, retry_after_of(x));
}

// Whatever became of the exchange, its attempts are over, and their places are free. The first that waits is told.
void leave_server(Path& path, Exchange& x) {
  if (x.shedding.server_place.held()) x.shedding.server_place = {};
  path.turns->freed(x.route->server_queue_key);
}

}  // namespace headgate::gateway
