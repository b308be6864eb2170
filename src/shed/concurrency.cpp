#include "headgate/shed/concurrency.hpp"

#include <algorithm>

namespace headgate::shed {

std::uint32_t share_of(Priority priority, std::uint32_t limit, std::uint32_t reserved) noexcept {
  if (priority == Priority::critical) return limit;
  const auto parts = std::uint64_t{limit} * reserved;
  const auto kept = static_cast<std::uint32_t>((parts + Options::kWhole - 1) / Options::kWhole);
  const auto normal = std::max<std::uint32_t>(limit - std::min(kept, limit), 1);
  return priority == Priority::normal ? normal : std::max<std::uint32_t>(normal / 2, 1);
}

Concurrency::Concurrency(const Options& options) : options_(options) {
  if (options.adaptive) gradient_.emplace(*options.adaptive);
  if (options.adaptive && options.queue) queue_.emplace(options.queue->length);
}

Priority Concurrency::effective(Priority priority, Steady now) const noexcept {
  return priority == Priority::low && now - trickled_ >= kTrickle ? Priority::normal : priority;
}

// What is reserved is kept for critical requests also if the limit has just shrunk and others are still at the
// upstream. So more than the limit may be there for a moment.
bool Concurrency::admits(Priority priority) const noexcept {
  if (!gradient_) return true;
  const auto most = limit();
  const auto critical = in_flight_[static_cast<std::size_t>(Priority::critical)];
  const auto all = in_flight();
  if (priority == Priority::critical)
    return all < most || critical < most - share_of(Priority::normal, most, options_.reserved);
  return all < most && all - critical < share_of(priority, most, options_.reserved);
}

void Concurrency::answered(Priority priority, Duration latency, Steady now) {
  if (gradient_) gradient_->answered(latency, in_flight(), now);
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

// A request that is admitted takes its place here, before anybody else can.
void Concurrency::serve_waiting() noexcept {
  for (auto* next = queue_->next(); next != nullptr && admits(next->priority); next = queue_->next()) {
    queue_->serve(*next);
    next->admitted(*next);
  }
}

}  // namespace headgate::shed
