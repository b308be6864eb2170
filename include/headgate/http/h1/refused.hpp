#pragma once
// Recovers the readable parts of a request head that was refused, for the log and for messages. Used by session.

#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::http::h1 {

/// Sets method, path, query, authority and host of `head` if they can be read unambiguously; leaves the others empty.
/// `bytes` begin with the head, which may be malformed, too long or incomplete. `head` gets views into `bytes`.
void read_refused_head(std::string_view bytes, const Limits& limits, RequestHead& head);

/// Returns the position of the first wrong byte in `bytes`, which begin with the head; empty if the fault has no
/// position, as when a field is missing. The position is the end of `bytes` if something is missing there. Scans the
/// bytes once.
std::optional<std::size_t> fault_place(std::string_view bytes, const Limits& limits, const ParseError& fault);

}  // namespace headgate::http::h1
