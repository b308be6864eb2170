#pragma once
// The interface of objects that answer exchanges, such as the path of the gateway or a demo upstream. A session calls
// handle() for each exchange; with a protocol that has streams, several calls may be under way at once.

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
  /// Logs and counts a request that the session has answered with `exchange.status` itself, because its head was
  /// refused or handle() threw.
  virtual void refused(Exchange& exchange) = 0;
  /// Gives the exchange of a refused head its request id, if answers of this handler have one. Answers of the admin
  /// interface have none.
  virtual void name(Exchange& exchange) { static_cast<void>(exchange); }
  /// Reports what was wrong with a head. Called before refused(). `bytes` begin with the head; `fault` is the offset of
  /// the first wrong byte, if there is one.
  virtual void refused_head(const Exchange& exchange, std::string_view bytes, std::optional<std::size_t> fault) {
    static_cast<void>(exchange), static_cast<void>(bytes), static_cast<void>(fault);
  }
  /// Reports that the TLS handshake of a client failed.
  virtual void handshake_failed(const boost::asio::ip::address& peer, std::string_view reason) {
    static_cast<void>(peer), static_cast<void>(reason);
  }
  /// Reports the number of glitches of an HTTP/2 client since the last call. A glitch costs the client nothing, but
  /// causes work for the gateway.
  virtual void glitches(const boost::asio::ip::address& peer, std::uint32_t times) {
    static_cast<void>(peer), static_cast<void>(times);
  }
  /// Returns whether HTTP/2 clients whose connections begin now may open WebSockets (RFC 8441).
  virtual bool opens_websockets() const { return false; }
  /// Returns whether `peer` is a trusted proxy, whose PROXY header is believed.
  virtual bool trusts(const boost::asio::ip::address& peer) const { return static_cast<void>(peer), false; }
};

}  // namespace headgate::gateway
