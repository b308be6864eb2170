#pragma once
// Address blocks in their configured form. Used by config, admin, gateway, session and translate.

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <string>
#include <string_view>

namespace headgate::identity {

/// Parses "10.0.0.0/8", "fd00::/8", or a single address ("10.1.2.3", "::1"). IPv4-mapped IPv6 of 96 bits or more
/// becomes IPv4. The error is one sentence without a final dot that says what to write instead: `"10.0.0.1/8" has host
/// bits set; write "10.0.0.0/8" for the network or "10.0.0.1" for the one address`.
Result<Network, std::string> parse_network(std::string_view text);

/// Returns the block of `length` bits that contains `address`, as "10.0.0.0/8" or "2001:db8::/32"; a single IPv4
/// address is written "10.1.2.3", as in keys of limits. IPv4-mapped IPv6 counts as IPv4. `length` is at most 32 for
/// IPv4 and 128 for IPv6.
std::string block_of(const boost::asio::ip::address& address, unsigned length);

/// Returns the shortest text that parse_network parses as the same block: "10.0.0.0/8", or "10.1.2.3" for a single
/// address.
std::string to_text(const Network& network);

}  // namespace headgate::identity
