#pragma once
// What belongs to one hop and is not passed on (RFC 9110 section 7.6.1).

#include "headgate/http/fields.hpp"

#include <cstddef>

namespace headgate::http {

/// Fields that Connection may name: each is compared with all others. Parsers refuse more.
inline constexpr std::size_t kMaxNamedInConnection = 32;

/// Appends to `out` what of `fields` goes on to the next hop: all but the hop-by-hop fields, those that Connection
/// names, and the framing fields, which each hop writes for itself. TE: trailers is the hop's own too.
void append_end_to_end(const Fields& fields, Fields& out);

}  // namespace headgate::http
