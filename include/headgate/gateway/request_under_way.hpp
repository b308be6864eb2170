#pragma once
// What a request under way does at this moment, told from its exchange between two of its steps. Worker thread only.

#include "headgate/core/time.hpp"
#include "headgate/gateway/exchange.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// Names a request among all that this process serves: nobody else ever has its name.
struct RequestName {
  std::uint32_t worker = 0;
  std::uint64_t connection = 0;
  std::uint64_t begun = 0;   ///< on the steady clock, in microseconds
  std::uint32_t stream = 0;  ///< of HTTP/2; else 0

  std::string text() const;  ///< "0-2f-1a2b3c", of a stream "0-2f-1a2b3c-1f"
  static std::optional<RequestName> read(std::string_view text);
  bool operator==(const RequestName&) const = default;
};

/// A request under way. Texts of its caller hold any bytes.
struct RequestUnderWay {
  RequestName name;
  Duration age{0};                 ///< when its worker came to it
  std::string_view protocol;       ///< "HTTP/1.1"
  std::string method, host, path;  ///< without the query, as logged
  std::string route, upstream, server;
  boost::asio::ip::address address;  ///< as logged
  std::string limit, key;            ///< the limit that its answer names, and what it is counted by; in clear
  /// What describe() was asked for, in that order; empty if the caller has none.
  std::vector<std::string> callers;
  std::string_view state;
  std::uint64_t received = 0;  ///< bytes of its body
  std::uint64_t sent = 0;      ///< bytes of its answer
};

/// By their names, for each age is of a moment of its own.
inline bool began_before(const RequestUnderWay& one, const RequestUnderWay& other) noexcept {
  return one.name.begun < other.name.begun;
}

/// A word of ours: "deciding", "limit", "queue", "retry", "receiving", "connecting", "server", "sending", "streaming",
/// "tunnel". docs/admin.md explains them.
std::string_view state_of(const Exchange& x) noexcept;

/// The address that the log will have.
const boost::asio::ip::address& logged_address(const Exchange& x) noexcept;

/// When it began, as its name has it.
std::uint64_t begun_of(const Exchange& x) noexcept;

/// All but its name and its age.
RequestUnderWay describe(const Exchange& x, const std::vector<std::string>& callers);

}  // namespace headgate::gateway
