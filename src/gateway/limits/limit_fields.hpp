#pragma once
// The fields that tell a caller its limits, on every answer that was counted.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Appends the fields that `style` asks for, with the numbers of the binding limit. Nothing if no limit applied.
void append_limit_fields(Exchange& x, RejectionHeaders style, unsigned status, http::Fields& fields);

/// The longest time in words, in bytes.
inline constexpr std::size_t kMaxInWords = 64;
/// "40 seconds", "3 minutes and 20 seconds", "8 days and 23 hours": rounded up.
void write_in_words(TextCursor& out, std::uint64_t seconds) noexcept;
/// The same as a view into `text`.
std::string_view in_words(TextArena& text, std::uint64_t seconds);

/// Whole seconds, rounded up, at least 1: after that wait the request is allowed.
std::uint64_t seconds_up(Duration duration) noexcept;

}  // namespace headgate::gateway
