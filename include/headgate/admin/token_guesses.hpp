#pragma once
// How often an address may be wrong about the token of the admin interface: ten times at once, then every six seconds.

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <string>
#include <unordered_map>

namespace headgate::admin {

/// Admin thread only. Of an IPv6 address its block of 64 bits counts. Its memory is bounded.
class TokenGuesses {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr int kAtOnce = 10;
  static constexpr auto kEach = std::chrono::seconds(6);
  static constexpr std::size_t kRemembered = 4096;

  /// How long until this address may try again; zero: it may now.
  std::chrono::seconds wait(const boost::asio::ip::address& address, Moment now) const;
  /// It was wrong. True if it was its last try for now.
  bool wrong(const boost::asio::ip::address& address, Moment now);

 private:
  static std::string key_of(const boost::asio::ip::address& address);
  void make_room(Moment now);

  std::unordered_map<std::string, Moment> none_used_at_;  ///< when all tries have come back
};

}  // namespace headgate::admin
