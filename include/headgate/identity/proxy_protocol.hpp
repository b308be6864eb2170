#pragma once
// The PROXY protocol, versions 1 and 2 (HAProxy's specification of 2020/03/05): what a hop in front says of a
// connection before its first byte.

#include "headgate/core/result.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::identity {

/// What the header says.
struct ProxyHeader {
  std::size_t size = 0;                            ///< bytes it takes; what follows is the client's
  std::optional<boost::asio::ip::address> source;  ///< the client; nothing for LOCAL, UNKNOWN and other families: the
                                                   ///< connection speaks for itself
  bool tls = false;                                ///< the client came by TLS (v2, PP2_TYPE_SSL)
  bool certificate = false;  ///< it showed a certificate, here or when the session that it resumes was made, and the
                             ///< hop verified it
};

enum class ProxyHeaderState { whole, more, malformed };

/// Reads the header that `bytes` begin with into `out`, which is written only where it is whole. more: not all of it is
/// there yet. malformed: neither version, or one that breaks its rules (a sum that is wrong and a TLV that does not fit
/// are among them), or of more than kMostProxyHeader bytes; said as soon as it shows. Does not allocate; any thread.
ProxyHeaderState read_proxy_header(std::string_view bytes, ProxyHeader& out) noexcept;

/// The longest header taken, its TLVs included.
inline constexpr std::size_t kMostProxyHeader = 2048;

}  // namespace headgate::identity
