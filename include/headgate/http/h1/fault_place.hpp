#pragma once
// Where in a refused head the fault is that its sentence names: for people who look at it, no decision may rest on it.

#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::http::h1 {

/// The place of the first wrong byte in `bytes`, which begin with the head; nothing if the fault has none, as a field
/// that is missing. It may be the end of `bytes`: what should stand there did not come. Goes once over the bytes.
std::optional<std::size_t> fault_place(std::string_view bytes, const Limits& limits, const ParseError& fault);

}  // namespace headgate::http::h1
