#pragma once
// What a caller is told of its limits, on every answer that was counted.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Appends to `fields` what `style` asks for, from the limit that binds; nothing where no limit applied.
void append_limit_fields(Exchange& x, RejectionHeaders style, http::Fields& fields);

/// Bytes of a time in words at most.
inline constexpr std::size_t kMaxInWords = 64;
/// "40 seconds", "3 minutes and 20 seconds", "8 days and 23 hours": no less than `seconds`.
void write_in_words(TextCursor& out, std::uint64_t seconds) noexcept;
/// The same as a view into `text`.
std::string_view in_words(TextArena& text, std::uint64_t seconds);

/// Whole seconds to wait, rounded up, at least 1: waiting that long gets through.
std::uint64_t seconds_up(Duration duration) noexcept;

}  // namespace headgate::gateway
