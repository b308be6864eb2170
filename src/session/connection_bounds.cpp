#include "headgate/session/connection_bounds.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <string>

namespace headgate::session {
namespace {

constexpr auto kLogEvery = std::chrono::seconds(1);

/// The words in the log for connections without a place, in place of an address.
const std::string kUnplacedWords = "trusted proxies and exempt addresses";

using Steps = std::chrono::steady_clock::duration;

/// Returns the time after which one more new connection is allowed.
Steps step_of(const ConnectionRate& rate) noexcept {
  return std::chrono::duration_cast<Steps>(rate.period) / static_cast<Steps::rep>(rate.count);
}

std::string words_of_address(const boost::asio::ip::address& address) {
  std::array<char, 64> text{};
  return std::string(identity::address_text(address, text));
}

}  // namespace

ConnectionBounds::ConnectionBounds() = default;
ConnectionBounds::~ConnectionBounds() = default;

std::pair<ConnectionBounds::Place, ConnectionBounds::Why> ConnectionBounds::admit(
    const Bounds& bounds, const boost::asio::ip::address& address, Moment now) {
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
    if (fresh) {
      entry.at = stripe.idle.insert(stripe.idle.end(), key);
      entry.address = address;
    }
    const auto& rate = bounds.connection_rate;
    const auto full_at = std::max(entry.full_at, now) + (rate.count > 0 ? step_of(rate) : Steps{});
    if (bounds.connections_per_address > 0 && entry.open >= bounds.connections_per_address)
      why = Why::address;
    else if (rate.count > 0 && full_at - now > std::chrono::duration_cast<Steps>(rate.period))
      why = Why::rate;
    if (why == Why::none) {
      entry.full_at = full_at;
      set_open(stripe, entry, entry.open + 1);
    }
  }
  if (why == Why::none) {
    placed_.fetch_add(1, std::memory_order_relaxed);
    return {Place(*this, key), why};
  }
  refused(why, address, now);
  return {Place(), why};
}

void ConnectionBounds::leave(std::uint64_t key) noexcept {
  placed_.fetch_sub(1, std::memory_order_relaxed);
  auto& stripe = stripe_of(key);
  const std::lock_guard lock(stripe.mutex);
  auto& entry = stripe.entries.find(key)->second;
  set_open(stripe, entry, entry.open - 1);
}

/// Moves the entry's node between lists. Allocates only if no other address has the same number of connections.
void ConnectionBounds::set_open(Stripe& stripe, Entry& entry, std::uint32_t open) {
  auto& to = open == 0 ? stripe.idle : stripe.by_number[open];
  auto& from = entry.open == 0 ? stripe.idle : stripe.by_number[entry.open];
  to.splice(to.end(), from, entry.at);
  if (entry.open != 0 && from.empty()) stripe.by_number.erase(entry.open);
  entry.open = open;
}

std::uint32_t ConnectionBounds::open(std::uint64_t key) const noexcept {
  const auto& stripe = stripes_[key % kStripes];
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.entries.find(key);
  return found == stripe.entries.end() ? 0 : found->second.open;
}

std::vector<ConnectionBounds::Heavy> ConnectionBounds::heaviest(std::size_t most) const {
  std::vector<Heavy> out;
  for (const auto& stripe : stripes_) {
    const std::lock_guard lock(stripe.mutex);
    auto left = most;
    for (auto level = stripe.by_number.begin(); level != stripe.by_number.end() && left > 0; ++level)
      for (auto key = level->second.begin(); key != level->second.end() && left > 0; ++key, --left)
        out.push_back({*key, level->first, stripe.entries.at(*key).address});
  }
  std::stable_sort(out.begin(), out.end(), [](const Heavy& a, const Heavy& b) { return a.open > b.open; });
  if (out.size() > most) out.resize(most);
  return out;
}

/// Removes at most two idle entries. Called for each new entry, so that no client has to wait while many entries are
/// removed.
void ConnectionBounds::forget(Stripe& stripe, Moment now) {
  for (int looked = 0; looked < 2 && !stripe.idle.empty(); ++looked) {
    const auto oldest = stripe.entries.find(stripe.idle.front());
    if (oldest->second.full_at > now && stripe.idle.size() < kRemembered / kStripes) return;
    stripe.entries.erase(oldest);
    stripe.idle.pop_front();
  }
}

bool ConnectionBounds::Gate::passes(Moment now, std::uint64_t& left_out_before) {
  const std::lock_guard lock(mutex);
  if (last != Moment{} && now - last < kLogEvery) {
    ++left_out;
    return false;
  }
  last = now;
  left_out_before = std::exchange(left_out, 0);
  return true;
}

void ConnectionBounds::refused(Why why, const boost::asio::ip::address& address, Moment now) {
  counts_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  std::uint64_t left_out = 0;
  if (!refusals_.passes(now, left_out)) return;
  std::array<char, 64> text{};
  const auto most = why == Why::total ? heaviest(1) : std::vector<Heavy>();
  observe::event(
      observe::LogLevel::warning, "connection_refused", "a connection was refused, because a bound is reached",
      {{"bound", to_text(why)},
       {"address", identity::address_text(address, text)},
       most.empty() ? observe::EventField() : observe::EventField("most_from", words_of_address(most.front().address)),
       most.empty() ? observe::EventField() : observe::EventField("connections_from_there", most.front().open),
       left_out == 0 ? observe::EventField() : observe::EventField("lines_left_out", left_out)});
}

void ConnectionBounds::gave_way(const Heavy& whose, std::uint32_t of, Moment now) {
  gave_way_.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t left_out = 0;
  if (!ways_given_.passes(now, left_out)) return;
  observe::event(observe::LogLevel::warning, "connections_full",
                 "the address with the most connections lost the one that was idle longest, to make room for a new one",
                 {{"address", whose.key == kUnplaced ? kUnplacedWords : words_of_address(whose.address)},
                  {"connections", whose.open},
                  {"of", of},
                  left_out == 0 ? observe::EventField() : observe::EventField("lines_left_out", left_out)});
}

std::string_view to_text(ConnectionBounds::Why why) noexcept {
  constexpr WordsOf<ConnectionBounds::Why> kWords({"none", "total", "address", "rate", "memory"});
  return kWords[why];
}

}  // namespace headgate::session
