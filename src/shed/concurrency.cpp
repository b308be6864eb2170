#include "headgate/shed/concurrency.hpp"

#include <algorithm>

namespace headgate::shed {
namespace {

std::uint32_t less(std::uint32_t from, std::uint32_t by) noexcept { return by >= from ? 0 : from - by; }

}  // namespace

std::uint32_t share_of(Priority priority, std::uint32_t limit, std::uint32_t reserved) noexcept {
  if (priority == Priority::critical) return limit;
  const auto parts = std::uint64_t{limit} * reserved;
  const auto kept = static_cast<std::uint32_t>((parts + ConcurrencyOptions::kWhole - 1) / ConcurrencyOptions::kWhole);
  return std::max<std::uint32_t>(limit - std::min(kept, limit), 1);
}

Concurrency::Concurrency(const ConcurrencyOptions& options) : options_(options) {
  if (options.adaptive) gradient_.emplace(*options.adaptive);
  if (options.adaptive && options.queue) queue_.emplace(options.queue->length);
}

Priority Concurrency::effective(Priority priority, Steady now) const noexcept {
  return priority == Priority::low && now - trickled_ >= kTrickle ? Priority::normal : priority;
}

// Returns how many more requests of this priority may enter. Critical requests may use their reserved share even if the
// limit has just shrunk and requests of other priorities still fill it. So for a moment there may be more requests than
// the limit.
std::uint32_t Concurrency::room_for(Priority priority) const noexcept {
  const auto most = limit();
  const auto all = in_flight();
  const auto critical = in_flight_[static_cast<std::size_t>(Priority::critical)];
  const auto share = share_of(Priority::normal, most, options_.reserved);
  if (priority == Priority::critical) return std::max(less(most, all), less(most - share, critical));
  return std::min(less(most, all), less(share, all - critical));
}

bool Concurrency::admits(Priority priority) const noexcept {
  if (!gradient_) return true;
  const auto room = room_for(priority);
  return room > 0 && (priority == Priority::critical || less(limit(), in_flight()) > headroom_.held_from(priority));
}

void Concurrency::refused(Priority priority, Steady now) noexcept {
  if (!gradient_) return;
  gradient_->refused();
  // If no request of a lower priority is at the upstream, holding places free would not help.
  bool lower = false;
  for (auto i = static_cast<std::size_t>(priority) + 1; i < kPriorities; ++i) lower = lower || in_flight_[i] > 0;
  const auto room = room_for(priority);
  if (lower || room > 0) headroom_.refused(priority, room, limit(), now);
}

void Concurrency::enter(Priority priority, Steady now) noexcept {
  enter(priority);
  if (gradient_) headroom_.admitted(priority, less(limit(), in_flight()), now);
}

void Concurrency::answered(Priority priority, Duration latency, Steady now) {
  if (gradient_) gradient_->answered(latency, in_flight(), now);
  headroom_.ended(latency);
  left(priority);
}

void Concurrency::dropped(Priority priority, Steady now) {
  if (gradient_) gradient_->dropped(in_flight(), now);
  left(priority);
}

bool Concurrency::admits_now(Priority priority) {
  const auto* const first = queue_ ? queue_->next() : nullptr;
  return admits(priority) && (first == nullptr || priority < first->priority);
}

void Concurrency::left(Priority priority) noexcept {
  --in_flight_[static_cast<std::size_t>(priority)];
  if (queue_ && !queue_->empty()) serve_waiting();
}

// An admitted request takes its place here, before any other request can.
void Concurrency::serve_waiting() noexcept {
  for (auto* next = queue_->next(); next != nullptr && admits(next->priority); next = queue_->next()) {
    queue_->serve(*next);
    next->admitted(*next);
  }
}

}  // namespace headgate::shed
