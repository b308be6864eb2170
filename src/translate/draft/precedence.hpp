#pragma once
// Keeps the protection that depends on the product's order of routes. headgate has no such order, and picks the most
// specific route.

#include "translate/draft/draft.hpp"

namespace headgate::translate {

/// Repeats a route that keeps callers out in two cases:
/// - a more specific route, which the product checks later, would let these callers in;
/// - the product compares path prefixes by characters, and headgate compares whole segments.
void keep_precedence(Draft& draft);

}  // namespace headgate::translate
