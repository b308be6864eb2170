#pragma once
// What a head of HTTP/1.1 says of its connection. It concerns the two ends of the connection alone, not who answers.

#include "headgate/http/head.hpp"

#include <cstdint>

namespace headgate::http::h1 {

/// How the end of a body is found (RFC 9112 section 6.3).
struct WireFraming {
  enum class Kind : std::uint8_t { none, length, chunked, until_close };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  ///< bytes, for Kind::length

  /// What is known of the body.
  Framing body() const noexcept {
    if (kind == Kind::none) return {};
    return {kind == Kind::length ? Framing::Kind::length : Framing::Kind::unknown, length};
  }
};

struct Wire {
  WireFraming framing;
  bool keep_alive = true;         ///< whether the sender keeps the connection (RFC 9112 section 9.3)
  bool expects_continue = false;  ///< whether a client waits for 100 Continue before it sends its body
};

}  // namespace headgate::http::h1
