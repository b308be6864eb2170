#pragma once
// The results of the TLS handshakes with one server: counted in the metrics, and logged when they fail.

#include "headgate/core/clock.hpp"
#include "headgate/net/connect.hpp"
#include "headgate/observe/line_gate.hpp"
#include "headgate/upstream/diallers.hpp"
#include "headgate/upstream/failure.hpp"

#include <string>
#include <string_view>

namespace headgate::upstream {

/// The recorder of the results. Worker thread only. Does nothing without TLS.
class ServerHandshakes {
 public:
  /// The arguments must outlive this object.
  ServerHandshakes(const TlsUse& tls, const Clock& clock, std::string_view upstream, std::string_view server) noexcept
      : tls_(tls), clock_(clock), upstream_(upstream), server_(server) {}

  void connected(bool resumed) noexcept;
  /// Returns the failure for a server that does not use HTTP/2. `why` is in static storage.
  Failure no_http2(const char* why);
  /// Returns the failure for a connection that could not be made.
  Failure failed(const net::ConnectError& why);
  /// Records that a connection ended because of TLS, and returns the reason. In TLS 1.3, a server checks the gateway's
  /// certificate only after the gateway's part of the handshake, so its refusal arrives in place of the answer. Both
  /// texts are valid until the next call.
  std::string_view broken(std::string_view reason);

 private:
  void count(observe::ServerHandshake how) noexcept;
  void tell(std::string_view name, std::string_view sentence);

  const TlsUse& tls_;
  const Clock& clock_;
  std::string_view upstream_;
  std::string_view server_;
  std::string reason_;
  observe::LineGate gate_;
};

}  // namespace headgate::upstream
