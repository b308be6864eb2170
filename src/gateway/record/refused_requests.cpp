#include "headgate/gateway/refused_requests.hpp"

#include "headgate/core/hash.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::gateway {

std::size_t RefusedRequests::count_of(std::uint64_t owner) const noexcept {
  return static_cast<std::size_t>(std::count(owners_.begin(), owners_.end(), owner));
}

/// Returns the oldest request of the owner with the most requests. If several owners have the most, returns the oldest
/// of all their requests.
std::size_t RefusedRequests::leaves() const noexcept {
  std::size_t out = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < owners_.size(); ++i)
    if (const auto count = count_of(owners_[i]); count > most) most = count, out = i;
  return out;
}

void RefusedRequests::note(RefusedRequest request) {
  const auto owner = keyed_hash(request.owner, 0).low;
  const std::lock_guard lock(mutex_);
  const auto own = std::find(owners_.begin(), owners_.end(), owner);
  const bool full = kept_.size() >= kKept;
  if (full || count_of(owner) >= kOfOne) {
    const auto at = count_of(owner) >= kOfOne ? own - owners_.begin() : static_cast<std::ptrdiff_t>(leaves());
    kept_.erase(kept_.begin() + at);
    owners_.erase(owners_.begin() + at);
  }
  kept_.push_back(std::move(request));
  owners_.push_back(owner);
}

bool RefusedRequests::wants(const std::string& name, Instant now) const {
  constexpr auto kYoung = std::chrono::seconds(1);
  const auto owner = keyed_hash(name, 0).low;
  const std::lock_guard lock(mutex_);
  if (count_of(owner) < kOfOne) return true;
  const auto oldest = std::find(owners_.begin(), owners_.end(), owner) - owners_.begin();
  const auto since = now - kept_[static_cast<std::size_t>(oldest)].at;
  return since < Duration(0) || since >= kYoung;  // a negative time means that the clock was set back
}

std::vector<RefusedRequest> RefusedRequests::list() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

}  // namespace headgate::gateway
