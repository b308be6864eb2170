#pragma once
// The PROXY protocol, versions 1 and 2 (HAProxy's specification of 2020/03/05): a proxy sends facts about a connection
// before its first byte. Used by session.

#include "headgate/core/result.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::identity {

/// The content of a PROXY header.
struct ProxyHeader {
  std::size_t size = 0;  ///< size of the header in bytes; the client's bytes follow
  /// address of the client; absent for LOCAL, UNKNOWN and other families, where the address of the connection counts
  std::optional<boost::asio::ip::address> source;
  bool tls = false;  ///< true if the client uses TLS (v2, PP2_TYPE_SSL)
  /// true if the client sent a certificate, on this connection or in the session that this connection resumes, and the
  /// proxy verified it
  bool certificate = false;
};

enum class ProxyHeaderState { whole, more, malformed };

/// Parses the header at the start of `bytes`. Writes `out` only if the header is complete. Returns `more` if a part of
/// the header is still missing. Returns `malformed` as early as possible, in three cases: the bytes are the beginning
/// of neither version; the header breaks the rules (such as a wrong checksum or a TLV that does not fit); or it has
/// more than kMaxProxyHeader bytes. Does not allocate; any thread.
ProxyHeaderState read_proxy_header(std::string_view bytes, ProxyHeader& out) noexcept;

/// Maximum size of a header in bytes, including its TLVs.
inline constexpr std::size_t kMaxProxyHeader = 2048;

}  // namespace headgate::identity
