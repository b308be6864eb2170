#pragma once
// Escapes text for HTML and XML. Used by gateway and cli.

#include <string>
#include <string_view>

namespace headgate {

/// Returns `text` escaped for an element, or for a quoted attribute value with quotes of either kind.
std::string markup(std::string_view text);

}  // namespace headgate
