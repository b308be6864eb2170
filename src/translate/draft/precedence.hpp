#pragma once
// What the order of another product's routes protects stays protected where headgate takes the most specific one.

#include "translate/draft/draft.hpp"

namespace headgate::translate {

/// Repeats routes that keep callers out where a more specific one, which the product asks later, would let them in; and
/// where a route is for all paths that begin with a text, and not for whole segments.
void keep_precedence(Draft& draft);

}  // namespace headgate::translate
