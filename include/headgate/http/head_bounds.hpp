#pragma once
// Bounds on the size of a request head, the same for every protocol. Used by session and gateway.

#include <cstdint>

namespace headgate::http {

/// The bounds of one request head.
struct HeadBounds {
  /// bytes of request line and fields, at most 60 KiB; a longer head is refused with 431, or with 414 if the target is
  /// too long
  std::uint32_t bytes = 16 * 1024;
  std::uint32_t fields = 100;             ///< number of field lines; more are refused with 431
  std::uint32_t target_bytes = 8 * 1024;  ///< length of the target in bytes; a longer one is refused with 414
};

}  // namespace headgate::http
