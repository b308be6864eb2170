#pragma once
// The PROXY protocol, versions 1 and 2 (HAProxy's specification of 2020/03/05): a proxy in front sends facts about a
// connection before its first byte.

#include "headgate/core/result.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::identity {

/// The content of the header.
struct ProxyHeader {
  std::size_t size = 0;                            ///< bytes of the header; the client's bytes follow
  std::optional<boost::asio::ip::address> source;  ///< the client; absent for LOCAL, UNKNOWN and other
                                                   ///< families: then the address of the connection counts
  bool tls = false;                                ///< the client uses TLS (v2, PP2_TYPE_SSL)
  bool certificate = false;  ///< it sent a certificate, on this connection or in the session that it resumes, and
                             ///< the proxy verified it
};

enum class ProxyHeaderState { whole, more, malformed };

/// Parses the header at the beginning of `bytes`. Writes `out` only if the header is whole. more: a part of it is
/// missing. malformed: neither version, a header that breaks the rules (also a wrong checksum or a TLV that does not
/// fit), or more than kMaxProxyHeader bytes; returned as early as possible. Does not allocate; any thread.
ProxyHeaderState read_proxy_header(std::string_view bytes, ProxyHeader& out) noexcept;

/// The maximum size of a header, including its TLVs.
inline constexpr std::size_t kMaxProxyHeader = 2048;

}  // namespace headgate::identity
