#pragma once
// The one message of Protocol Buffers that the gateway writes.

#include "headgate/core/text_arena.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// A google.rpc.Status with this code and message and one detail, a google.rpc.RetryInfo of `wait` milliseconds, in
/// base64 without padding, as gRPC writes fields whose names end with "-bin".
std::string_view retry_info(TextArena& text, unsigned code, std::string_view message, std::uint64_t wait);

}  // namespace headgate::gateway
