#include "headgate/limit/ban_table.hpp"

#include "spin_mutex.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/per_enum.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

namespace headgate::limit {
namespace {

// Number of parts. There are many, so that a list of all keys delays a request only by microseconds.
constexpr std::size_t kBanStripes = 256;

struct ByHash {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

struct EndsFirst {
  bool operator()(const std::pair<Instant, Hash>& a, const std::pair<Instant, Hash>& b) const noexcept {
    return std::tie(a.first, a.second.low, a.second.high) < std::tie(b.first, b.second.low, b.second.high);
  }
};

using ByEnd = std::set<std::pair<Instant, Hash>, EndsFirst>;

std::size_t under_way(const ByEnd& place, Instant now) {
  // The entries are sorted by their end, so the search from the back ends at the first one that is over.
  const auto over = std::find_if(place.rbegin(), place.rend(), [now](const auto& each) { return each.first <= now; });
  return static_cast<std::size_t>(std::distance(place.rbegin(), over));
}

/// The entries of one limit. Suspensions by an operator are never removed to make room for others.
struct LimitsBans {
  ByEnd droppable;
  ByEnd kept;
  ByEnd& place_of(const Ban& ban) noexcept { return ban.reason == BanReason::operated ? kept : droppable; }
};

struct BanStripe {
  mutable SpinMutex mutex;
  boost::unordered_flat_map<Hash, Ban, ByHash> bans;
  std::map<std::string, LimitsBans, std::less<>> by_limit;
  std::size_t droppable = 0;
};

/// Returns the same value as BanPolicy::offences.seed. Only the limit's name is needed, because entries of the log have
/// only the name.
std::uint64_t seed_of(std::string_view limit) noexcept { return stable_hash(limit); }

Duration doubled(Duration first, std::uint32_t times, Duration longest) noexcept {
  auto length = first;
  for (; times > 0 && length < longest; --times) length *= 2;
  return std::min(length, longest);
}

std::uint32_t next_level(const Ban& before, const BanPolicy& policy, Instant now) noexcept {
  return !before.lifted && now - before.until < policy.longest ? before.level + 1 : 0;
}

}  // namespace

struct BanTable::State {
  explicit State(Hook hook, std::size_t most)
      : changed(std::move(hook)), bound(std::max<std::size_t>(most / kBanStripes, 1)) {}

  BanStripe& stripe_of(const Hash& hash) noexcept { return stripes[hash.high % kBanStripes]; }

  /// The source of a change. Suspensions that an entry of the log displaces are not counted as dropped. Otherwise they
  /// would be counted again each time that the whole log is read.
  enum class From { here, log };

  void put(BanStripe& stripe, const Hash& hash, const Ban& ban, Instant now, From from = From::here) {
    if (const auto at = stripe.bans.find(hash); at != stripe.bans.end()) erase(stripe, at, ban.limit);
    stripe.bans.emplace(hash, ban);
    auto& own = stripe.by_limit[ban.limit];
    own.place_of(ban).insert({ban.until, hash});
    stripe.droppable += ban.reason == BanReason::operated ? 0 : 1;
    for (auto* const place : {&own.droppable, &own.kept})
      while (!place->empty() && now - place->begin()->first >= kRemembered)
        erase(stripe, stripe.bans.find(place->begin()->second), ban.limit);
    while (stripe.droppable > bound) make_room(stripe, now, from);
    if (ban.until > now) any.store(true, std::memory_order_relaxed);
  }

  /// Removes an entry from the stripe and from the lists of its limit, which stay even if they are empty.
  template <class At>
  void erase(BanStripe& stripe, At at, const std::string& limit) {
    auto& place = stripe.by_limit[limit].place_of(at->second);
    place.erase({at->second.until, at->first});
    stripe.droppable -= at->second.reason == BanReason::operated ? 0 : 1;
    stripe.bans.erase(at);
  }

  /// Makes room in a stripe that is too full: removes the entry that ends first, of the limit with the most entries.
  void make_room(BanStripe& stripe, Instant now, From from) {
    const auto fewer = [](const auto& a, const auto& b) {
      return a.second.droppable.size() < b.second.droppable.size();
    };
    const auto most = std::max_element(stripe.by_limit.begin(), stripe.by_limit.end(), fewer);
    const auto at = stripe.bans.find(most->second.droppable.begin()->second);
    if (from == From::here && at->second.until > now) {
      const std::lock_guard lock(counts_mutex);
      ++dropped[most->first];
    }
    erase(stripe, at, most->first);
  }

  void count(const Ban& ban) {
    const std::lock_guard lock(counts_mutex);
    ++made_here[ban.limit][ban.reason];
  }

  const Hook changed;
  const std::size_t bound;  // maximum for one stripe
  std::array<BanStripe, kBanStripes> stripes;
  /// Whether there has ever been a suspension. Processes without one never take a lock.
  std::atomic<bool> any{false};
  std::mutex counts_mutex;
  std::map<std::string, std::map<BanReason, std::uint64_t>> made_here;
  std::map<std::string, std::uint64_t> dropped;
};

BanTable::BanTable(Hook changed, std::size_t bound) : state_(std::make_unique<State>(std::move(changed), bound)) {}
BanTable::~BanTable() = default;

/// Counts a suspension. Call it only once the table has the entry. So end_operated() on another thread either finds the
/// entry, or sees the changed count and does not reset it.
void BanTable::note(const Ban& ban) noexcept {
  if (ban.reason != BanReason::operated || ban.lifted) return;
  blocks_.note(ban.key);
  operated_.fetch_add(1, std::memory_order_release);
}

void BanTable::end_operated(Instant now) noexcept {
  auto seen = operated_.load(std::memory_order_acquire);
  if (seen == 0) return;
  for (const auto& stripe : state_->stripes) {
    const std::lock_guard lock(stripe.mutex);
    for (const auto& [limit, own] : stripe.by_limit)
      if (!own.kept.empty() && own.kept.rbegin()->first > now) return;
  }
  operated_.compare_exchange_strong(seen, 0, std::memory_order_relaxed);
}

std::optional<BanTable::Found> BanTable::find(std::string_view limit, std::string_view key, Instant now) const {
  if (!state_->any.load(std::memory_order_relaxed)) return std::nullopt;
  const auto hash = keyed_hash(key, seed_of(limit));
  const auto& stripe = state_->stripe_of(hash);
  const std::lock_guard lock(stripe.mutex);
  const auto at = stripe.bans.find(hash);
  if (at == stripe.bans.end() || at->second.until <= now) return std::nullopt;
  return Found{at->second.until, at->second.observed, at->second.reason == BanReason::operated};
}

std::optional<Ban> BanTable::suspend(const BanPolicy& policy, std::string_view key, BanReason reason, bool observed,
                                     Instant now) {
  const auto& limit = policy.offences.limit;
  const auto hash = keyed_hash(key, seed_of(limit));
  Ban ban{.limit = limit, .key = std::string(key), .since = now, .reason = reason, .observed = observed};
  {
    auto& stripe = state_->stripe_of(hash);
    const std::lock_guard lock(stripe.mutex);
    if (const auto at = stripe.bans.find(hash); at != stripe.bans.end()) {
      if (at->second.until > now) return std::nullopt;
      ban.level = next_level(at->second, policy, now);
    }
    ban.until = now + doubled(policy.first, ban.level, policy.longest);
    state_->put(stripe, hash, ban, now);
  }
  state_->count(ban);
  if (state_->changed) state_->changed(ban);
  return ban;
}

Duration BanTable::next_length(const BanPolicy& policy, std::string_view key, Instant now) const {
  const auto hash = keyed_hash(key, seed_of(policy.offences.limit));
  const auto& stripe = state_->stripe_of(hash);
  const std::lock_guard lock(stripe.mutex);
  const auto at = stripe.bans.find(hash);
  return doubled(policy.first, at == stripe.bans.end() ? 0 : next_level(at->second, policy, now), policy.longest);
}

Ban BanTable::add(std::string_view limit, std::string_view key, Duration length, Instant now) {
  const auto hash = keyed_hash(key, seed_of(limit));
  Ban ban{.limit = std::string(limit),
          .key = std::string(key),
          .since = now,
          .until = now + length,
          .reason = BanReason::operated};
  {
    auto& stripe = state_->stripe_of(hash);
    const std::lock_guard lock(stripe.mutex);
    state_->put(stripe, hash, ban, now);
  }
  note(ban);
  state_->count(ban);
  if (state_->changed) state_->changed(ban);
  return ban;
}

std::optional<Ban> BanTable::lift(std::string_view limit, std::string_view key, Instant now) {
  const auto hash = keyed_hash(key, seed_of(limit));
  std::optional<Ban> lifted;
  {
    auto& stripe = state_->stripe_of(hash);
    const std::lock_guard lock(stripe.mutex);
    const auto at = stripe.bans.find(hash);
    if (at == stripe.bans.end() || at->second.until <= now) return std::nullopt;
    lifted = at->second;
    lifted->until = now;
    lifted->lifted = true;
    lifted->version = 0;
    state_->put(stripe, hash, *lifted, now);
  }
  if (state_->changed) state_->changed(*lifted);
  return lifted;
}

void BanTable::apply(const Ban& ban, Instant now) {
  const auto hash = keyed_hash(ban.key, seed_of(ban.limit));
  {
    auto& stripe = state_->stripe_of(hash);
    const std::lock_guard lock(stripe.mutex);
    const auto at = stripe.bans.find(hash);
    if (at != stripe.bans.end() && at->second.version >= ban.version) return;
    state_->put(stripe, hash, ban, now, State::From::log);
  }
  if (ban.until > now) note(ban);
}

std::vector<Ban> BanTable::list(Instant now) const {
  std::vector<Ban> out;
  for (const auto& stripe : state_->stripes) {
    const std::lock_guard lock(stripe.mutex);
    for (const auto& [hash, ban] : stripe.bans)
      if (ban.until > now) out.push_back(ban);
  }
  std::sort(out.begin(), out.end(), [](const Ban& a, const Ban& b) {
    return std::tie(a.until, a.limit, a.key) < std::tie(b.until, b.limit, b.key);
  });
  return out;
}

std::vector<Ban> BanTable::remembered() const {
  std::vector<Ban> out;
  for (const auto& stripe : state_->stripes) {
    const std::lock_guard lock(stripe.mutex);
    for (const auto& [hash, ban] : stripe.bans) out.push_back(ban);
  }
  return out;
}

std::map<std::string, BanTable::Counts> BanTable::counts(Instant now) const {
  std::map<std::string, Counts> out;
  {
    const std::lock_guard lock(state_->counts_mutex);
    for (const auto& [limit, reasons] : state_->made_here) out[limit].made_here = reasons;
    for (const auto& [limit, count] : state_->dropped) out[limit].dropped = count;
  }
  for (const auto& stripe : state_->stripes) {
    const std::lock_guard lock(stripe.mutex);
    for (const auto& [hash, ban] : stripe.bans)
      if (ban.until > now) ++out[ban.limit].suspended;
  }
  return out;
}

BanTable::Held BanTable::held(Instant now) const {
  std::map<std::string, std::size_t> by_limit;
  Held out;
  for (const auto& stripe : state_->stripes) {
    const std::lock_guard lock(stripe.mutex);
    for (const auto& [limit, own] : stripe.by_limit) {
      const auto keys = under_way(own.droppable, now);
      by_limit[limit] += keys;
      out.keys += keys;
      out.operated += under_way(own.kept, now);
    }
  }
  for (const auto& [limit, keys] : by_limit) {
    if (keys <= out.keys_of_most) continue;
    out.most = limit;
    out.keys_of_most = keys;
  }
  return out;
}

std::map<std::string, std::uint64_t> BanTable::dropped() const {
  const std::lock_guard lock(state_->counts_mutex);
  return state_->dropped;
}

std::string_view to_text(BanReason reason) noexcept {
  static constexpr WordsUpTo<BanReason::operated> kWords({"rejections", "statuses", "operator"});
  return kWords[reason];
}

}  // namespace headgate::limit
