#include "headgate/notify/outbox.hpp"

#include <algorithm>

namespace headgate::notify {

std::optional<PendingWebhook> Outbox::add(PendingWebhook delivery, Time due) {
  const auto number = delivery.number;
  by_due_.emplace(due, number);
  waiting_.emplace(number, Waiting{std::move(delivery), due});
  if (waiting_.size() <= bound_) return std::nullopt;
  return remove(waiting_.begin());
}

void Outbox::hold(Time until) noexcept { held_until_ = std::max(held_until_, until); }

std::optional<PendingWebhook> Outbox::take(Time now) {
  const auto at = next();
  if (!at || *at > now) return std::nullopt;
  return remove(waiting_.find(by_due_.begin()->second));
}

std::optional<Outbox::Time> Outbox::next() const noexcept {
  if (by_due_.empty()) return std::nullopt;
  if (hurry_) return Time{};
  return std::max(by_due_.begin()->first, held_until_);
}

PendingWebhook Outbox::remove(std::map<std::uint64_t, Waiting>::iterator which) {
  by_due_.erase({which->second.due, which->first});
  auto node = waiting_.extract(which);
  return std::move(node.mapped().delivery);
}

}  // namespace headgate::notify
