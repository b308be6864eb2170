#pragma once
// The fields that tell callers their limits. They are in the answer to each request that a limit has counted.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Appends the fields that `style` asks for, with the numbers of the binding limit. Appends nothing if no limit
/// applied.
void append_limit_fields(Exchange& x, RejectionHeaders style, unsigned status, http::Fields& fields);

/// The largest size of a time in words, in bytes.
inline constexpr std::size_t kMaxInWords = 64;
/// Writes a time in words, rounded up: "40 seconds", "3 minutes and 20 seconds", "8 days and 23 hours".
void write_in_words(TextCursor& out, std::uint64_t seconds) noexcept;
/// Returns a time in words, as a view into `text`.
std::string_view in_words(TextArena& text, std::uint64_t seconds);

/// Returns whole seconds, rounded up, at least 1: the request is allowed after that wait.
std::uint64_t seconds_up(Duration duration) noexcept;

}  // namespace headgate::gateway
