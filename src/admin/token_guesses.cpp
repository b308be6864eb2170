#include "headgate/admin/token_guesses.hpp"

#include "headgate/identity/client_address.hpp"

#include <algorithm>
#include <array>

namespace headgate::admin {

std::string TokenGuesses::key_of(const boost::asio::ip::address& address) {
  constexpr unsigned kBlock = 64;
  std::array<char, 64> text{};
  return std::string(identity::client_ip_key(address, kBlock, text));
}

std::chrono::seconds TokenGuesses::wait(const boost::asio::ip::address& address, Moment now) const {
  const auto found = none_used_at_.find(key_of(address));
  if (found == none_used_at_.end()) return std::chrono::seconds(0);
  const auto first_back = found->second - (kAtOnce - 1) * kEach;
  return first_back <= now ? std::chrono::seconds(0) : std::chrono::ceil<std::chrono::seconds>(first_back - now);
}

bool TokenGuesses::wrong(const boost::asio::ip::address& address, Moment now) {
  const bool could = wait(address, now).count() == 0;
  if (!could) return false;  // a token that was not checked does not count as a try
  if (none_used_at_.size() >= kRemembered) make_room(now);
  auto& at = none_used_at_[key_of(address)];
  at = std::max(at, now) + kEach;
  return wait(address, now).count() > 0;
}

/// Forgets the addresses that have all their tries back. If there are none, forgets the address that would have them
/// back first.
void TokenGuesses::make_room(Moment now) {
  std::erase_if(none_used_at_, [now](const auto& each) { return each.second <= now; });
  if (none_used_at_.size() < kRemembered) return;
  none_used_at_.erase(std::min_element(none_used_at_.begin(), none_used_at_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; }));
}

}  // namespace headgate::admin
