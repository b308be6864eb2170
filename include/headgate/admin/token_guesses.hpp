#pragma once
// Bounds wrong tokens per address at the admin interface: ten at once, then one every six seconds.

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <string>
#include <unordered_map>

namespace headgate::admin {

/// The wrong tokens of each address. Admin thread only. An IPv6 address counts as its /64 block. Memory is bounded.
class TokenGuesses {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr int kAtOnce = 10;
  static constexpr auto kEach = std::chrono::seconds(6);
  static constexpr std::size_t kRemembered = 4096;

  /// Returns the time until this address may try again; zero if it may try now.
  std::chrono::seconds wait(const boost::asio::ip::address& address, Moment now) const;
  /// Records a wrong token. Returns true if this was the last try for now.
  bool wrong(const boost::asio::ip::address& address, Moment now);

 private:
  static std::string key_of(const boost::asio::ip::address& address);
  void make_room(Moment now);

  /// the time when all tries of an address are available again, by address
  std::unordered_map<std::string, Moment> none_used_at_;
};

}  // namespace headgate::admin
