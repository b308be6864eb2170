#pragma once
// The client's address, as reported by trusted proxies. Used by gateway, session, engine, server and admin.

#include "headgate/identity/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace headgate::identity {

/// Maximum number of entries that a walk accepts. No honest chain is longer.
inline constexpr unsigned kMaxHops = 64;

/// The result of a walk along the hops. Each address that the walk accepted was reported by a trusted hop.
struct Hops {
  boost::asio::ip::address client;
  /// Number of accepted entries, counted from the right. The client is the last of them; 0 means the peer itself.
  unsigned believed = 0;
};

/// Finds the client's address. If `peer` is not trusted, `peer` is the client. Otherwise the walk reads the entries of
/// `fields` (the values of `field`, in the order received) from the right, through trusted hops. The first untrusted
/// address is the client; if every hop is trusted, the leftmost address is the client.
///
/// An entry may have a port ("192.0.2.1:80", "[2001:db8::1]:443"). Forwarded is parsed as in RFC 7239 section 4: the
/// address is the `for` of each element, which may hide its port ("192.0.2.1:_a"). X-Real-IP has one address in one
/// field; two fields are not accepted.
///
/// An entry that is not an address ends the walk: "unknown", "_hidden", an empty entry, a zone, an IPv4 number with a
/// leading zero, an element that breaks the grammar or has `for` twice. The hop that reported this entry is then the
/// client. The walk also ends after 64 steps. Mistakes further to the left do not affect entries to the right of them,
/// because elements are split from the right, including quotes. So a client can neither remove nor change the entries
/// that later hops append to the client's own field.
///
/// IPv4-mapped IPv6 counts as IPv4; the zone of a peer is dropped. Does not allocate; any thread.
Hops walk_hops(const boost::asio::ip::address& peer, AddressField field, std::span<const std::string_view> fields,
               std::span<const Network> trusted) noexcept;

/// Storage for every accepted entry and the peer.
using Chain = std::array<boost::asio::ip::address, kMaxHops + 1>;

/// Returns the verified path of a request: the client, each accepted hop in order, and the peer last. If no entry was
/// accepted, only the peer. `hops` is the result of walk_hops for the same peer and fields. The result is stored in
/// `room`. Does not allocate; any thread.
std::span<const boost::asio::ip::address> believed_chain(const Hops& hops, const boost::asio::ip::address& peer,
                                                         AddressField field, std::span<const std::string_view> fields,
                                                         Chain& room) noexcept;

/// The original scheme and host of the request as trusted hops report them; empty if they report none.
struct OriginalRequest {
  std::string_view proto;
  std::string_view host;
};

/// Returns `proto` and `host` of the Forwarded element that names the client (RFC 7239 sections 5.3 and 5.4). `hops` is
/// the result of walk_hops. The result has views into `fields`; any thread.
OriginalRequest original_by_forwarded(const Hops& hops, std::span<const std::string_view> fields) noexcept;

/// Maximum length of an address as text ("0000:0000:0000:0000:0000:ffff:255.255.255.255").
inline constexpr std::size_t kMaxAddressText = 45;

/// Writes an IPv4 address in dotted form, and an IPv6 address in the form of RFC 5952 without a zone. IPv4-mapped IPv6
/// is written as IPv4. Returns a view of `buffer`, which has at least kMaxAddressText bytes; "" if `buffer` is too
/// small. Does not allocate.
std::string_view address_text(const boost::asio::ip::address& address, std::span<char> buffer) noexcept;

/// Returns whether `address` is in one of `networks`. IPv4-mapped IPv6 counts as IPv4 on both sides. No other IPv6
/// block, not even ::/0, contains an IPv4 address.
bool contains(std::span<const Network> networks, const boost::asio::ip::address& address) noexcept;

/// Returns the key of a client with this address: an IPv4 address itself, or the block of an IPv6 address
/// ("2001:db8:0:1::/64", RFC 5952). `ipv6_prefix` is clamped to 1 to 128. The result is a view of `buffer`, which has
/// at least 64 bytes; "" if `buffer` is too small. Does not allocate.
std::string_view client_ip_key(const boost::asio::ip::address& address, unsigned ipv6_prefix,
                               std::span<char> buffer) noexcept;

}  // namespace headgate::identity
