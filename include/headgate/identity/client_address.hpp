#pragma once
// Who is calling, by address: X-Forwarded-For believed only through trusted hops.

#include "headgate/identity/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <span>
#include <string_view>

namespace headgate::identity {

/// The client's address: `peer` unless it is trusted; then the X-Forwarded-For fields (in the order received, each a
/// comma list) are walked from the right through trusted hops, and the first untrusted address is the client. Where
/// every hop is trusted, the leftmost. Entries may carry a port ("192.0.2.1:80", "[2001:db8::1]:443"). Anything else
/// that is not an address ("unknown", an empty entry, a zone, an IPv4 number with a leading zero) ends the walk at the
/// last trusted fact: the hop that reported it is the client. So does the 64th step, since no honest chain is that
/// long. IPv4-mapped IPv6 is IPv4; a zone is dropped. Does not allocate; any thread.
boost::asio::ip::address client_address(const boost::asio::ip::address& peer,
                                        std::span<const std::string_view> forwarded_for,
                                        std::span<const Network> trusted);

/// Whether `address` lies in one of `networks`. IPv4-mapped IPv6 counts as IPv4 on both sides; no other IPv6 block, not
/// even ::/0, holds an IPv4 address.
bool contains(std::span<const Network> networks, const boost::asio::ip::address& address) noexcept;

/// What a client of this address is counted as: the address itself for IPv4, its block for IPv6 ("2001:db8:0:1::/64",
/// RFC 5952). `ipv6_prefix` is 1 to 128 and brought into that range. Writes into `buffer` (at least 64 bytes; "" where
/// it is too small) and returns the view. Does not allocate.
std::string_view client_ip_subject(const boost::asio::ip::address& address, unsigned ipv6_prefix,
                                   std::span<char> buffer) noexcept;

}  // namespace headgate::identity
