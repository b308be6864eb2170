#pragma once
// Who is calling, by address: X-Forwarded-For believed only through trusted hops.

#include <boost/asio/ip/address.hpp>
#include <span>
#include <string_view>

#include "headgate/identity/options.hpp"

namespace headgate::identity {

/// The client's address: `peer` unless it is trusted; then the X-Forwarded-For fields (in the order received, each a comma list)
/// are walked from the right through trusted hops, and the first untrusted address is the client. Garbage ends the walk at the last
/// trusted fact. IPv4-mapped IPv6 is IPv4. Where every hop is trusted, the leftmost.
boost::asio::ip::address client_address(const boost::asio::ip::address& peer, std::span<const std::string_view> forwarded_for,
                                        std::span<const Network> trusted);

/// Whether `address` lies in one of `networks`; IPv4-mapped IPv6 counts as IPv4.
bool contains(std::span<const Network> networks, const boost::asio::ip::address& address) noexcept;

/// What a client of this address is counted as: the address itself for IPv4, its block for IPv6 ("2001:db8:0:1::/64").
/// Writes into `buffer` (at least 64 bytes) and returns the view.
std::string_view client_ip_subject(const boost::asio::ip::address& address, unsigned ipv6_prefix, std::span<char> buffer) noexcept;

}  // namespace headgate::identity
