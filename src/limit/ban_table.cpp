#include "headgate/limit/ban_table.hpp"

#include "spin_mutex.hpp"

#include "headgate/core/hash.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

namespace headgate::limit {
namespace {

// Many, so that a list of all keys holds up a request for microseconds only.
constexpr std::size_t kBanStripes = 256;

struct ByHash {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

struct EndsFirst {
  bool operator()(const std::pair<Instant, Hash>& a, const std::pair<Instant, Hash>& b) const noexcept {
    return std::tie(a.first, a.second.low, a.second.high) < std::tie(b.first, b.second.low, b.second.high);
  }
};

struct BanStripe {
  mutable SpinMutex mutex;
  boost::unordered_flat_map<Hash, Ban, ByHash> bans;
  std::set<std::pair<Instant, Hash>, EndsFirst> by_end;
};

/// The same as BanPolicy::offences.seed, from the name of the limit alone: the log has only that.
std::uint64_t seed_of(std::string_view limit) noexcept { return stable_hash(limit); }

Duration doubled(Duration first, std::uint32_t times, Duration longest) noexcept {
  auto length = first;
  for (; times > 0 && length < longest; --times) length *= 2;
  return std::min(length, longest);
}

}  // namespace

struct BanTable::State {
  explicit State(Hook hook, std::size_t most)
      : changed(std::move(hook)), bound(std::max<std::size_t>(most / kBanStripes, 1)) {}

  BanStripe& stripe_of(const Hash& hash) noexcept { return stripes[hash.high % kBanStripes]; }

  void put(BanStripe& stripe, const Hash& hash, const Ban& ban, Instant now) {
    const auto [at, added] = stripe.bans.try_emplace(hash, ban);
    if (!added) {
      stripe.by_end.erase({at->second.until, hash});
      at->second = ban;
    }
    stripe.by_end.insert({ban.until, hash});
    while (!stripe.by_end.empty()) {
      const auto first = *stripe.by_end.begin();
      if (stripe.bans.size() <= bound && now - first.first < kRemembered) break;
      stripe.bans.erase(first.second);
      stripe.by_end.erase(stripe.by_end.begin());
    }
    if (ban.until > now) any.store(true, std::memory_order_relaxed);
  }

  void count(const Ban& ban) {
    const std::lock_guard lock(counts_mutex);
    ++made_here[ban.limit][ban.reason];
  }

  const Hook changed;
  const std::size_t bound;  // of one stripe
  std::array<BanStripe, kBanStripes> stripes;
  /// Whether anybody was ever suspended: most processes never lock.
  std::atomic<bool> any{false};
  std::mutex counts_mutex;
  std::map<std::string, std::map<BanReason, std::uint64_t>> made_here;
};

BanTable::BanTable(Hook changed, std::size_t bound) : state_(std::make_unique<State>(std::move(changed), bound)) {}
BanTable::~BanTable() = default;

/// Before the table has it: who finds it operated finds it in the table soon.
void BanTable::note(const Ban& ban) noexcept {
  if (ban.reason != BanReason::operated || ban.lifted) return;
  blocks_.note(ban.key);
  operated_.store(true, std::memory_order_relaxed);
}

std::optional<BanTable::Found> BanTable::find(std::string_view limit, std::string_view key, Instant now) const {
  if (!state_->any.load(std::memory_order_relaxed)) return std::nullopt;
  const auto hash = keyed_hash(key, seed_of(limit));
  const auto& stripe = state_->stripe_of(hash);
  const std::lock_guard lock(stripe.mutex);
  const auto at = stripe.bans.find(hash);
  if (at == stripe.bans.end() || at->second.until <= now) return std::nullopt;
  return Found{at->second.until, at->second.observed};
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
      const auto& before = at->second;
      if (before.until > now) return std::nullopt;
      if (!before.lifted && now - before.until < policy.longest) ban.level = before.level + 1;
    }
    ban.until = now + doubled(policy.first, ban.level, policy.longest);
    state_->put(stripe, hash, ban, now);
  }
  state_->count(ban);
  if (state_->changed) state_->changed(ban);
  return ban;
}

Ban BanTable::add(std::string_view limit, std::string_view key, Duration length, Instant now) {
  const auto hash = keyed_hash(key, seed_of(limit));
  Ban ban{.limit = std::string(limit),
          .key = std::string(key),
          .since = now,
          .until = now + length,
          .reason = BanReason::operated};
  note(ban);
  {
    auto& stripe = state_->stripe_of(hash);
    const std::lock_guard lock(stripe.mutex);
    state_->put(stripe, hash, ban, now);
  }
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
  if (ban.until > now) note(ban);
  const auto hash = keyed_hash(ban.key, seed_of(ban.limit));
  auto& stripe = state_->stripe_of(hash);
  const std::lock_guard lock(stripe.mutex);
  const auto at = stripe.bans.find(hash);
  if (at != stripe.bans.end() && at->second.version >= ban.version) return;
  state_->put(stripe, hash, ban, now);
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
  }
  for (const auto& stripe : state_->stripes) {
    const std::lock_guard lock(stripe.mutex);
    for (const auto& [hash, ban] : stripe.bans)
      if (ban.until > now) ++out[ban.limit].suspended;
  }
  return out;
}

std::string_view to_text(BanReason reason) noexcept {
  switch (reason) {
    case BanReason::rejections:
      return "rejections";
    case BanReason::statuses:
      return "statuses";
    case BanReason::operated:
      break;
  }
  return "operator";
}

}  // namespace headgate::limit
