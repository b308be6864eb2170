#pragma once
// Who is calling, by address: what trusted hops tell, and nobody else.

#include "headgate/identity/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace headgate::identity {

/// No walk believes more entries than this: no honest chain is that long.
inline constexpr unsigned kMostHops = 64;

/// What a walk along the hops found. Facts only: every address up to here was told by a trusted hop.
struct Hops {
  boost::asio::ip::address client;
  /// How many entries were believed, from the right; the client is the last of them, and 0 is the peer itself.
  unsigned believed = 0;
};

/// The client's address: `peer` unless it is trusted; then the entries of `fields` (the values of `field`, in the order
/// received) are walked from the right through trusted hops, and the first untrusted address is the client. Where every
/// hop is trusted, the leftmost. An entry may carry a port ("192.0.2.1:80", "[2001:db8::1]:443"). Forwarded is read as
/// RFC 7239 section 4 has it: the `for` of each element, which may hide its port ("192.0.2.1:_a"). Anything else that
/// is not an address ("unknown", "_hidden", an empty entry, a zone, an IPv4 number with a leading zero, an element that
/// breaks the grammar or has `for` twice) ends the walk at the last trusted fact: the hop that reported it is the
/// client. So does the 64th step. What breaks the grammar further to the left changes nothing to the right of it, for
/// elements are split from the right as well, quotes included: so a client can neither unsay nor reword what the hops
/// behind it append to its own field. X-Real-IP is one address in one field; where there are two fields it is not
/// believed. IPv4-mapped IPv6 is IPv4; a peer's zone is dropped. Does not allocate; any thread.
Hops walk_hops(const boost::asio::ip::address& peer, AddressField field, std::span<const std::string_view> fields,
               std::span<const Network> trusted) noexcept;

/// Room for every believed entry and the peer.
using Chain = std::array<boost::asio::ip::address, kMostHops + 1>;

/// The way a request came, as facts alone: the client, each believed hop in order, and last the peer, which is all
/// there is where nothing was believed. `hops` is what walk_hops found for the same peer and fields. The result lies in
/// `room`. Does not allocate; any thread.
std::span<const boost::asio::ip::address> believed_chain(const Hops& hops, const boost::asio::ip::address& peer,
                                                         AddressField field, std::span<const std::string_view> fields,
                                                         Chain& room) noexcept;

/// What trusted hops say of the request as the client sent it; empty where they do not.
struct ToldRequest {
  std::string_view proto;
  std::string_view host;
};

/// Of Forwarded: `proto` and `host` of the element that names the client (RFC 7239 sections 5.3 and 5.4). `hops` is
/// what walk_hops found. Views into `fields`; any thread.
ToldRequest told_by_forwarded(const Hops& hops, std::span<const std::string_view> fields) noexcept;

/// No address takes more bytes as text ("0000:0000:0000:0000:0000:ffff:255.255.255.255").
inline constexpr std::size_t kMostAddressText = 45;

/// The dotted or the RFC 5952 form; IPv4-mapped IPv6 as IPv4, without a zone. Writes into `buffer` (at least
/// kMostAddressText bytes; "" where it is too small) and returns the view. Does not allocate.
std::string_view address_text(const boost::asio::ip::address& address, std::span<char> buffer) noexcept;

/// Whether `address` lies in one of `networks`. IPv4-mapped IPv6 counts as IPv4 on both sides; no other IPv6 block, not
/// even ::/0, holds an IPv4 address.
bool contains(std::span<const Network> networks, const boost::asio::ip::address& address) noexcept;

/// What a client of this address is counted as: the address itself for IPv4, its block for IPv6 ("2001:db8:0:1::/64",
/// RFC 5952). `ipv6_prefix` is 1 to 128 and brought into that range. Writes into `buffer` (at least 64 bytes; "" where
/// it is too small) and returns the view. Does not allocate.
std::string_view client_ip_subject(const boost::asio::ip::address& address, unsigned ipv6_prefix,
                                   std::span<char> buffer) noexcept;

}  // namespace headgate::identity
