#pragma once
// Writes times, numbers and values of log lines.

#include "headgate/core/text_cursor.hpp"
#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::observe {

/// Writes a time such as "2026-11-22T05:30:12.345678Z". Each thread caches the text of the last second.
void write_time(TextCursor& out, Instant at) noexcept;
void append_time(std::string& out, Instant at);

void append_number(std::string& out, std::uint64_t number);

/// Writes three decimals: "12.034" for 12'034.
void write_thousandths(TextCursor& out, std::uint64_t thousandths) noexcept;
void append_thousandths(std::string& out, std::uint64_t thousandths);

/// Writes the text unchanged if it is unambiguous, otherwise in quotes. The result has at most kMaxJsonBytes bytes for
/// each byte of the text, and two more.
void write_value(TextCursor& out, std::string_view text) noexcept;
void append_value(std::string& out, std::string_view text);

}  // namespace headgate::observe
