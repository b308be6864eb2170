#pragma once
// One worker's counters of TLS handshakes with clients.

#include "headgate/observe/metrics.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::observe {

/// How a handshake ended.
enum class HandshakeResult : std::uint8_t {
  full,
  resumed,     ///< with a ticket of an earlier connection
  failed,      ///< what the client offers or shows is not accepted, or it went away
  timed_out,   ///< not over in time
  refused,     ///< its address has too many under way
  plain_http,  ///< the client speaks HTTP without TLS
};

class HandshakeCounters {
 public:
  HandshakeCounters(Registry& registry, Writer writer);
  /// `version` is "1.2", "1.3", or empty if there was none. That worker's thread only.
  void count(HandshakeResult result, std::string_view version) const noexcept;

 private:
  CounterTable& table_;
};

}  // namespace headgate::observe
