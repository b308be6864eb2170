#pragma once
// What the access log says of a request and its answer beside what it always says. config fills it.

#include "headgate/http/fields.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate {
class TextArena;
}

namespace headgate::gateway {

/// Immutable; shared by all exchanges of a configuration.
struct LoggedFields {
  struct Field {
    std::string name;  ///< of the field, lower case
    std::string word;  ///< in the line: "header.x-tenant", "response_header.x-cache"
  };
  std::vector<Field> of_request;
  std::vector<Field> of_answer;
  bool query = false;                           ///< whether the query is there, with `masked` hidden
  std::vector<std::string> masked;              ///< lower case, sorted: parameters whose values are not shown
  static constexpr std::size_t kMaxFields = 8;  ///< of requests, and as many of answers
};

/// Names and values, for one line.
using LoggedValues = std::vector<std::pair<std::string_view, std::string_view>>;

/// Parameters that are masked in every log: credentials by their usual names. Lower case.
std::vector<std::string> usual_secrets();

/// Why a field of this name is never logged, as the end of a sentence; empty if it may be.
std::string_view why_not_logged(std::string_view name) noexcept;

/// The values of these fields: several of one name joined by ", ", cut where a line would cut them. Addresses are told
/// without their query, which may have a secret. Views into `fields`, `wanted` and `text`.
void append_logged(const std::vector<LoggedFields::Field>& wanted, const http::Fields& fields, TextArena& text,
                   LoggedValues& out);

/// `query` without its '?', with "***" in the place of masked values. A name is compared as a server reads it:
/// whatever its case and its escapes. A view into `text` or `query`.
std::string_view masked_query(std::string_view query, const std::vector<std::string>& masked, TextArena& text);

}  // namespace headgate::gateway
