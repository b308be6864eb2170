#pragma once
// Hop-by-hop fields: fields for the next hop only, which are not forwarded (RFC 9110 section 7.6.1). Used by gateway
// and the parsers.

#include "headgate/http/fields.hpp"

#include <cstddef>

namespace headgate::http {

/// Maximum number of fields that Connection may name, because each is compared with all fields. Parsers refuse more.
inline constexpr std::size_t kMaxNamedInConnection = 32;

/// Appends the end-to-end fields to `out`: all except the hop-by-hop fields, the fields named in Connection, and the
/// framing fields, which each hop writes itself. TE counts as hop-by-hop.
void append_end_to_end(const Fields& fields, Fields& out);

}  // namespace headgate::http
