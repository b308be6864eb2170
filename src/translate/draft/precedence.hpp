#pragma once
// Keeps protection that depends on the product's order of routes: headgate picks the most specific route instead.

#include "translate/draft/draft.hpp"

namespace headgate::translate {

/// Repeats a route that keeps callers out in two cases: where a more specific route, which the product checks later,
/// would let them in; and where the product compares path prefixes by characters and headgate by whole segments.
void keep_precedence(Draft& draft);

}  // namespace headgate::translate
