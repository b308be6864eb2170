#pragma once
// Answers exchanges: the gateway's path, or a demo upstream. Sessions call it, also for several exchanges at a time.

#include "headgate/core/task.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers `exchange`, and returns when the reply is written or broken off. An exception is a bug.
  virtual Task<void> handle(Exchange& exchange) = 0;
  /// For log and metrics: the session has answered this request with `exchange.status` itself, because its head was
  /// refused or handle() threw.
  virtual void refused(Exchange& exchange) = 0;
  /// Gives an exchange whose head is refused its request id, where its answers have one: those of the admin interface
  /// have none.
  virtual void name(Exchange& exchange) { static_cast<void>(exchange); }
  /// What was wrong with a head, before refused() is called: `bytes` begin with it, `fault` is where the first wrong
  /// byte stands, if it has a place.
  virtual void refused_head(const Exchange& exchange, std::string_view bytes, std::optional<std::size_t> fault) {
    static_cast<void>(exchange), static_cast<void>(bytes), static_cast<void>(fault);
  }
  /// The TLS handshake of a client has failed.
  virtual void handshake_failed(const boost::asio::ip::address& peer, std::string_view reason) {
    static_cast<void>(peer), static_cast<void>(reason);
  }
  /// A client of HTTP/2 did so often what costs it nothing, and us something, since the last call.
  virtual void glitches(const boost::asio::ip::address& peer, std::uint32_t times) {
    static_cast<void>(peer), static_cast<void>(times);
  }
  /// Whether clients of HTTP/2 whose connections begin now may ask for WebSockets (RFC 8441).
  virtual bool opens_websockets() const { return false; }
  /// Whether `peer` is a trusted proxy, whose PROXY header is believed.
  virtual bool trusts(const boost::asio::ip::address& peer) const { return static_cast<void>(peer), false; }
};

}  // namespace headgate::gateway
