#pragma once
// What can be told of a request whose head was refused: for logs only, no decision may rest on it.

#include "headgate/http/h1/parse.hpp"

#include <string_view>

namespace headgate::http::h1 {

/// Sets method, path, query, authority and host of `head` as far as each can be read in one way only; the others are
/// empty. `bytes` begin with the head, which may be malformed, too long or not whole. `head` gets views into `bytes`.
void read_refused_head(std::string_view bytes, const Limits& limits, RequestHead& head);

}  // namespace headgate::http::h1
