#pragma once
// Hop-by-hop fields: those that are for the next hop only and are not forwarded (RFC 9110 section 7.6.1).

#include "headgate/http/fields.hpp"

#include <cstddef>

namespace headgate::http {

/// How many fields Connection may name: each is compared with all fields. Parsers refuse more.
inline constexpr std::size_t kMaxNamedInConnection = 32;

/// Appends the end-to-end fields to `out`: all but the hop-by-hop fields, the fields that Connection names, and the
/// framing fields, which each hop writes itself. TE counts as hop-by-hop.
void append_end_to_end(const Fields& fields, Fields& out);

}  // namespace headgate::http
