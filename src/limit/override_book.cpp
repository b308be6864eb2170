#include "headgate/limit/override_book.hpp"

#include <algorithm>
#include <tuple>

namespace headgate::limit {
namespace {

bool in_force(const Override& one, Instant now) noexcept { return !one.lifted && one.until > now; }

}  // namespace

OverrideBook::Put OverrideBook::put(Override wanted, Instant now, std::size_t most) {
  const std::lock_guard lock(mutex_);
  const Name name{wanted.limit, wanted.key};
  const auto at = known_.find(name);
  const bool replaces = at != known_.end() && in_force(at->second, now);
  if (!replaces) {
    const auto count =
        std::count_if(known_.begin(), known_.end(), [now](const auto& each) { return in_force(each.second, now); });
    if (static_cast<std::size_t>(count) >= most) return Put::full;
  }
  known_.insert_or_assign(name, std::move(wanted));
  return replaces ? Put::replaced : Put::added;
}

std::optional<Override> OverrideBook::lift(const std::string& limit, const std::string& key, Instant now) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find({limit, key});
  if (at == known_.end() || !in_force(at->second, now)) return std::nullopt;
  auto& one = at->second;
  one.lifted = true;
  one.since = now;
  one.version = 0;
  return one;
}

bool OverrideBook::apply(const Override& entry, Instant now) {
  const std::lock_guard lock(mutex_);
  if (entry.until <= now) return false;
  const auto [at, added] = known_.try_emplace({entry.limit, entry.key}, entry);
  if (added) return !entry.lifted;
  if (at->second.version >= entry.version) return false;
  const bool was = in_force(at->second, now);
  at->second = entry;
  return was || !entry.lifted;
}

std::vector<Override> OverrideBook::forget_ended(Instant now) {
  const std::lock_guard lock(mutex_);
  std::vector<Override> out;
  for (auto at = known_.begin(); at != known_.end();) {
    if (at->second.until > now) {
      ++at;
      continue;
    }
    if (!at->second.lifted) out.push_back(std::move(at->second));
    at = known_.erase(at);
  }
  return out;
}

std::vector<Override> OverrideBook::list(Instant now) const {
  std::vector<Override> out;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, one] : known_)
      if (in_force(one, now)) out.push_back(one);
  }
  std::sort(out.begin(), out.end(), [](const Override& a, const Override& b) {
    return std::tie(a.until, a.limit, a.key) < std::tie(b.until, b.limit, b.key);
  });
  return out;
}

std::optional<Override> OverrideBook::find(const std::string& limit, const std::string& key, Instant now) const {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find({limit, key});
  if (at == known_.end() || !in_force(at->second, now)) return std::nullopt;
  return at->second;
}

std::optional<Instant> OverrideBook::next_end() const {
  const std::lock_guard lock(mutex_);
  std::optional<Instant> out;
  for (const auto& [name, one] : known_)
    if (!out || one.until < *out) out = one.until;
  return out;
}

std::map<std::string, std::size_t> OverrideBook::counts(Instant now) const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::size_t> out;
  for (const auto& [name, one] : known_)
    if (in_force(one, now)) ++out[one.limit];
  return out;
}

}  // namespace headgate::limit
