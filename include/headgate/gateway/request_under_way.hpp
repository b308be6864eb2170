#pragma once
// The state of a request under way, read from its exchange between two of its steps. Worker thread only.

#include "headgate/core/time.hpp"
#include "headgate/gateway/exchange.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// The name of a request. No other request of this process ever has the same name.
struct RequestName {
  std::uint32_t worker = 0;
  std::uint64_t connection = 0;
  std::uint64_t begun = 0;   ///< the begin on the steady clock, in microseconds
  std::uint32_t stream = 0;  ///< the stream of HTTP/2; otherwise 0

  std::string text() const;  ///< Returns "0-2f-1a2b3c", or for a stream "0-2f-1a2b3c-1f".
  static std::optional<RequestName> read(std::string_view text);
  bool operator==(const RequestName&) const = default;
};

/// A request under way. Texts from its caller may contain any bytes.
struct RequestUnderWay {
  RequestName name;
  Duration age{0};                 ///< time since the worker began with the request
  std::string_view protocol;       ///< "HTTP/1.1"
  std::string method, host, path;  ///< texts as they are logged, the path without the query
  std::string route, upstream, server;
  boost::asio::ip::address address;  ///< address of the client, as it is logged
  std::string limit, key;            ///< the limit that the answer names, and its key in clear text
  /// One value for each element of the `callers` passed to describe(), in the same order; empty if the caller has none.
  std::vector<std::string> callers;
  std::string_view state;
  std::uint64_t received = 0;  ///< bytes of the request's body
  std::uint64_t sent = 0;      ///< bytes of the answer
};

/// Compares by the time in the name. Ages cannot be compared, because each was measured at a different moment.
inline bool began_before(const RequestUnderWay& one, const RequestUnderWay& other) noexcept {
  return one.name.begun < other.name.begun;
}

/// Returns a word of headgate: "deciding", "limit", "queue", "retry", "receiving", "connecting", "server", "sending",
/// "streaming", "tunnel". docs/admin.md explains them.
std::string_view state_of(const Exchange& x) noexcept;

/// Returns the address that the log will have.
const boost::asio::ip::address& logged_address(const Exchange& x) noexcept;

/// Returns the time at which the request began, as in RequestName::begun.
std::uint64_t begun_of(const Exchange& x) noexcept;

/// Describes a request, except for its name and age.
RequestUnderWay describe(const Exchange& x, const std::vector<std::string>& callers);

}  // namespace headgate::gateway
