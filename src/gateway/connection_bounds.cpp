#include "headgate/gateway/connection_bounds.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <string>

namespace headgate::gateway {
namespace {

constexpr auto kLogEvery = std::chrono::seconds(1);

using Steps = std::chrono::steady_clock::duration;

/// The time that brings back one new connection.
Steps step_of(const ConnectionRate& rate) noexcept {
  return std::chrono::duration_cast<Steps>(rate.period) / static_cast<Steps::rep>(rate.count);
}

}  // namespace

ConnectionBounds::ConnectionBounds() = default;
ConnectionBounds::~ConnectionBounds() = default;

std::pair<ConnectionBounds::Place, ConnectionBounds::Why> ConnectionBounds::admit(
    const Bounds& bounds, const boost::asio::ip::address& address, Moment now) {
  if (bounds.connections_per_address == 0 && bounds.connection_rate.count == 0) return {Place(), Why::none};
  if (identity::contains(bounds.exempt, address)) return {Place(), Why::none};
  std::array<char, 64> text{};
  const auto key = keyed_hash(identity::client_ip_key(address, bounds.ipv6_prefix, text), 0).low;
  auto why = Why::none;
  {
    auto& stripe = stripe_of(key);
    const std::lock_guard lock(stripe.mutex);
    forget(stripe, now);
    const auto [at, fresh] = stripe.entries.try_emplace(key);
    auto& entry = at->second;
    if (fresh) entry.idle = stripe.idle.insert(stripe.idle.end(), key);
    const auto& rate = bounds.connection_rate;
    const auto full_at = std::max(entry.full_at, now) + (rate.count > 0 ? step_of(rate) : Steps{});
    if (bounds.connections_per_address > 0 && entry.open >= bounds.connections_per_address)
      why = Why::address;
    else if (rate.count > 0 && full_at - now > std::chrono::duration_cast<Steps>(rate.period))
      why = Why::rate;
    if (why == Why::none) {
      entry.full_at = full_at;
      if (entry.open++ == 0) stripe.idle.erase(entry.idle);
    }
  }
  if (why == Why::none) return {Place(*this, key), why};
  refused(why, address, now);
  return {Place(), why};
}

void ConnectionBounds::leave(std::uint64_t key) noexcept {
  auto& stripe = stripe_of(key);
  const std::lock_guard lock(stripe.mutex);
  auto& entry = stripe.entries.find(key)->second;
  if (--entry.open == 0) entry.idle = stripe.idle.insert(stripe.idle.end(), key);
}

/// At most two for each new one, so that no caller pays for many.
void ConnectionBounds::forget(Stripe& stripe, Moment now) {
  for (int looked = 0; looked < 2 && !stripe.idle.empty(); ++looked) {
    const auto oldest = stripe.entries.find(stripe.idle.front());
    if (oldest->second.full_at > now && stripe.idle.size() < kRemembered / kStripes) return;
    stripe.entries.erase(oldest);
    stripe.idle.pop_front();
  }
}

void ConnectionBounds::refused(Why why, const boost::asio::ip::address& address, Moment now) {
  counts_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  std::uint64_t left_out = 0;
  {
    const std::lock_guard lock(log_mutex_);
    if (logged_ != Moment{} && now - logged_ < kLogEvery) {
      ++left_out_;
      return;
    }
    logged_ = now;
    left_out = std::exchange(left_out_, 0);
  }
  std::array<char, 64> text{};
  observe::event(observe::LogLevel::warning, "connection_refused", "a bound is reached",
                 {{"bound", to_text(why)},
                  {"address", identity::address_text(address, text)},
                  left_out == 0 ? observe::EventField() : observe::EventField("lines_left_out", left_out)});
}

std::string_view to_text(ConnectionBounds::Why why) noexcept {
  constexpr std::array<std::string_view, ConnectionBounds::kReasons> kWords{"none", "total", "address", "rate",
                                                                            "memory"};
  return kWords[static_cast<std::size_t>(why)];
}

}  // namespace headgate::gateway
