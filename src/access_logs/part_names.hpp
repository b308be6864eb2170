#pragma once
// The meanings of names in logs that no format lists.

#include "headgate/access_logs/line_format.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::access_logs {

struct NamedMeaning {
  Meaning meaning = Meaning::nothing;
  std::string text{};  ///< same as LinePart::text
};

/// Returns the meaning of an nginx variable; an unknown one has no meaning.
NamedMeaning meaning_of_variable(std::string_view name);

/// Returns the meaning of a column in CSV or of a name in JSON; empty if it is unknown. The name may be in upper or
/// lower case, with any of "_-. " between its words.
std::optional<NamedMeaning> meaning_of_word(std::string_view name);

}  // namespace headgate::access_logs
