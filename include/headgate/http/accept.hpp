#pragma once
// What kinds of answer a client takes: Accept (RFC 9110 section 12.5.1).

#include <string_view>

namespace headgate::http {

/// How much of Accept is read: bytes, and members of its list. What follows counts as not written.
inline constexpr std::size_t kMaxAccept = 1024;
inline constexpr unsigned kMaxAcceptRanges = 32;

/// How gladly a client takes `type` ("text/html"), from 0 (not at all) to 1000. The most specific range that fits
/// decides: "text/html", then "text/*", then "*/*". A weight that is not valid counts as 1000. 0 if no range fits.
/// `accept` is the value of the field.
unsigned quality_of(std::string_view accept, std::string_view type) noexcept;

}  // namespace headgate::http
