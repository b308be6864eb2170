#pragma once
// JSON objects as nearly every issuer writes them, read in a third of the time that a parser of all JSON takes: it is
// most of what a token costs beside its signature. Used by read_json_object.

#include "json_object.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// The members of `json` in order, where it is one object of nothing but strings in printable ASCII without escapes,
/// natural numbers of at most 18 digits, true, false, and arrays of such strings. Nothing where it is anything else,
/// right or wrong: which of the two is for the parser to say. A name may stand twice.
std::optional<std::vector<JsonMember>> read_usual_object(std::string_view json);

}  // namespace headgate::identity
