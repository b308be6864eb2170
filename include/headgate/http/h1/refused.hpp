#pragma once
// What can be told of a request whose head was refused.

#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::http::h1 {

/// Sets method, path, query, authority and host of `head` as far as each can be read in one way only; the others are
/// empty. `bytes` begin with the head, which may be malformed, too long or not whole. `head` gets views into `bytes`.
void read_refused_head(std::string_view bytes, const Limits& limits, RequestHead& head);

/// The place of the first wrong byte in `bytes`, which begin with the head; nothing if the fault has none, as a field
/// that is missing. It may be the end of `bytes`: what should stand there did not come. Goes once over the bytes.
std::optional<std::size_t> fault_place(std::string_view bytes, const Limits& limits, const ParseError& fault);

}  // namespace headgate::http::h1
