#pragma once
// Text inside HTML and XML.

#include <string>
#include <string_view>

namespace headgate {

/// `text` as it stands in an element, or in the value of an attribute in quotes of either kind.
std::string markup(std::string_view text);

}  // namespace headgate
