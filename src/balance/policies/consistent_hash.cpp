// Requests with the same key go to the same server unless it is too busy. Each server has a number for the key, and the
// highest one wins (Thaler and Ravishankar, "Using name-based mappings to increase hit rates", 1998). If a server
// leaves, only its keys move, each to the server with the next highest number. A server with more than 5/4 of its share
// of the requests in flight gets no more requests. They go to the next server of their key (Mirrokni et al.,
// "Consistent hashing with bounded loads", 2018).

#include "../in_turn.hpp"
#include "../pick_random.hpp"

#include <cmath>

namespace headgate::balance::policy {
namespace {

/// Number of requests with which a server is never too busy, because a share of few requests is meaningless.
constexpr std::uint32_t kAlways = 8;
constexpr double kBound = 1.25;

/// The rank of a server for a key.
class Place {
 public:
  Place(std::uint64_t key, const Server& server, std::uint64_t share) noexcept
      : number_(mixed(key ^ server.hash)), share_(share) {}

  /// With different shares, the numbers are computed so that each server wins as many keys as its share says
  /// (Schindelhauer and Schomaker, "Weighted distributed hash tables", 2005).
  bool before(const Place& other) const noexcept {
    if (share_ == other.share_) return number_ > other.number_;
    return weighted() < other.weighted();
  }

 private:
  double weighted() const noexcept {
    constexpr double kRange = 0x1p-64;
    return -std::log((static_cast<double>(number_) + 0.5) * kRange) / static_cast<double>(share_);
  }

  std::uint64_t number_;
  std::uint64_t share_;
};

std::optional<std::size_t> by_key(const Table& table, const PickArgs& ask) {
  const EligibleServers eligible(table, ask);
  if (ask.choice == nullptr || !ask.choice->key) return least_loaded(eligible, ask.turn);
  double requests = 1;
  double shares = 0;
  for (std::size_t at = 0; at < eligible.size(); ++at) {
    if (!eligible.has(at)) continue;
    requests += eligible.in_flight(at);
    shares += static_cast<double>(eligible.share(at));
  }
  const auto busy = [&](std::size_t at) {
    const auto now = eligible.in_flight(at);
    return now >= kAlways && now * shares >= kBound * requests * static_cast<double>(eligible.share(at));
  };
  std::optional<std::size_t> best;
  std::optional<Place> place;
  for (std::size_t at = 0; at < eligible.size(); ++at) {
    if (!eligible.has(at) || busy(at)) continue;
    const Place here(*ask.choice->key, eligible.server(at), eligible.share(at));
    if (place && !here.before(*place)) continue;
    best = at;
    place = here;
  }
  return best ? best : least_loaded(eligible, ask.turn);
}

}  // namespace

extern const Policy consistent_hash;
const Policy consistent_hash{.name = "consistent_hash", .keyed = true, .meaning = "by their key", .choose = by_key};

}  // namespace headgate::balance::policy
