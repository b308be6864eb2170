#include "headgate/shed/overload.hpp"

#include <algorithm>
#include <string_view>

namespace headgate::shed {
namespace {

/// Why a layer refuses requests.
constexpr WordsOf<Layer> kWhy({
    "all gateways together have as many requests there as they may",
    "this gateway has as many requests there as its adaptive limit allows",
    "this gateway is behind with its own work",
    "no place became free while they waited in the queue",
    "no server has a free place",
});

template <typename E>
std::string listed(const std::array<std::uint64_t, kCountOf<E>>& counts, const WordsOf<E>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (counts[i] > 0)
      out.append(out.empty() ? "" : ", ").append(std::to_string(counts[i])).append(" ").append(words[i]);
  return out;
}

/// Returns the reasons with their counts. A single reason has no count, because it applies to all refusals.
std::string reasons_in_words(const std::array<std::uint64_t, kLayers>& counts) {
  const auto several = std::ranges::count_if(counts, [](auto count) { return count > 0; }) > 1;
  std::string out;
  for (std::size_t i = 0; i < kLayers; ++i) {
    if (counts[i] == 0) continue;
    out.append(out.empty() ? "" : "; ").append(several ? std::to_string(counts[i]) + " because " : "").append(kWhy[i]);
  }
  return out;
}

}  // namespace

std::uint32_t Overload::ceiling(Layer layer, Priority priority, std::uint32_t most,
                                std::uint32_t others) const noexcept {
  const auto& of = shared(layer);
  if (!of.holds.load(std::memory_order_relaxed)) return most;
  const std::lock_guard lock(of.mutex);
  return of.headroom.ceiling(priority, most, others);
}

void Overload::admitted(Layer layer, Priority priority, std::uint32_t free, Steady now) noexcept {
  auto& of = shared(layer);
  if (!of.holds.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(of.mutex);
  of.headroom.admitted(priority, free, now);
  of.holds.store(of.headroom.holds(), std::memory_order_relaxed);
}

void Overload::refused(Layer layer, Priority priority, std::uint32_t free, std::uint32_t most, Steady now) noexcept {
  auto& of = shared(layer);
  const std::lock_guard lock(of.mutex);
  of.headroom.refused(priority, free, most, now);
  of.holds.store(of.headroom.holds(), std::memory_order_relaxed);
}

void Overload::ended(Layer layer, Duration held) noexcept {
  auto& of = shared(layer);
  if (!of.holds.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(of.mutex);
  of.headroom.ended(held);
}

Priority Overload::effective(Priority priority, Steady now) const noexcept {
  if (priority != Priority::low) return priority;
  const Steady before(Steady::duration(trickled_.load(std::memory_order_relaxed)));
  return now - before >= kTrickle ? Priority::normal : priority;
}

void Overload::trickled(Steady now) noexcept {
  trickled_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

void Overload::shed(Layer layer, Priority priority, Steady now) noexcept {
  const std::lock_guard lock(mutex_);
  last_ = std::max(last_, now);
  ++by_layer_[static_cast<std::size_t>(layer)];
  ++by_priority_[static_cast<std::size_t>(priority)];
}

std::optional<std::string> Overload::in_words(Steady now) {
  const std::lock_guard lock(mutex_);
  if (last_ == Steady()) return std::nullopt;
  if (now - last_ >= kCalm) {
    last_ = {};
    by_layer_ = {};
    by_priority_ = {};
    return std::nullopt;
  }
  return listed(by_priority_, kPriorityWords) + " refused since it began: " + reasons_in_words(by_layer_);
}

}  // namespace headgate::shed
