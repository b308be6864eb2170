#pragma once
// The parts of an HTTP/1.1 head that concern the connection: framing, keep-alive and 100 Continue. They matter only to
// the two ends of the connection, not to the answer. Used by net.

#include "headgate/http/head.hpp"

#include <cstdint>

namespace headgate::http::h1 {

/// How the end of a body is detected (RFC 9112 section 6.3).
struct WireFraming {
  enum class Kind : std::uint8_t { none, length, chunked, until_close };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  ///< bytes, for Kind::length

  /// Returns the framing in a form that does not depend on the protocol.
  Framing body() const noexcept {
    if (kind == Kind::none) return {};
    return {kind == Kind::length ? Framing::Kind::length : Framing::Kind::unknown, length};
  }
};

struct Wire {
  WireFraming framing;
  bool keep_alive = true;         ///< true if the sender keeps the connection open (RFC 9112 section 9.3)
  bool expects_continue = false;  ///< true if the client waits for 100 Continue before it sends its body
};

}  // namespace headgate::http::h1
