#pragma once
// What names in logs mean where the row of a format does not say it.

#include "headgate/access_logs/line_format.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::access_logs {

struct NamedMeaning {
  Meaning meaning = Meaning::nothing;
  std::string text{};  ///< as LinePart::text
};

/// Of a variable of nginx; one that we do not know means nothing.
NamedMeaning meaning_of_variable(std::string_view name);

/// Of a column of CSV or a name in JSON that somebody chose, in capitals or small letters, with any of "_-. " between
/// words; nothing: we do not know it.
std::optional<NamedMeaning> meaning_of_word(std::string_view name);

}  // namespace headgate::access_logs
