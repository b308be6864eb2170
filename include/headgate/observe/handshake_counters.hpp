#pragma once
// One worker's counters of TLS handshakes with clients.

#include "headgate/observe/metrics.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::observe {

/// The result of a handshake.
enum class HandshakeResult : std::uint8_t {
  full,
  resumed,     ///< used a ticket of an earlier connection
  failed,      ///< the client's offer or certificate is not accepted, or the client disconnected
  timed_out,   ///< did not finish in time
  refused,     ///< the client's address has too many handshakes in progress
  plain_http,  ///< the client sent HTTP without TLS
};

class HandshakeCounters {
 public:
  HandshakeCounters(Registry& registry, Writer writer);
  /// Counts a handshake. `version` is "1.2" or "1.3", or empty if none was agreed on. That worker's thread only.
  void count(HandshakeResult result, std::string_view version) const noexcept;

 private:
  CounterTable& table_;
};

}  // namespace headgate::observe
