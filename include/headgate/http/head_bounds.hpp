#pragma once
// How large the head of a request may be, whatever protocol brings it.

#include <cstdint>

namespace headgate::http {

/// Bounds of one request's head.
struct HeadBounds {
  std::uint32_t bytes = 16 * 1024;        ///< request line and fields, at most 60 KiB; more: 431, or 414 for the target
  std::uint32_t fields = 100;             ///< field lines; more are refused with 431
  std::uint32_t target_bytes = 8 * 1024;  ///< longest target; a longer one is refused with 414
};

}  // namespace headgate::http
