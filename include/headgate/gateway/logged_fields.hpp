#pragma once
// The fields of requests and answers that the access log has in addition to its own. config fills them.

#include "headgate/http/fields.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate {
class TextArena;
}
namespace headgate::envoy {
struct RateLimitRequest;
}

namespace headgate::gateway {

/// The additional fields. Immutable; shared by all exchanges of a configuration.
struct LoggedFields {
  struct Field {
    std::string name;  ///< the name of the field, in lower case
    std::string word;  ///< the name in the line: "header.x-tenant", "response_header.x-cache"
  };
  std::vector<Field> of_request;
  std::vector<Field> of_answer;
  bool query = false;                           ///< whether the log has the query, with the values of `masked` hidden
  std::vector<std::string> masked;              ///< parameters whose values are hidden; lower case, sorted
  bool calls = false;                           ///< whether the log has the calls of the rate limit service
  std::vector<std::string> shown_keys;          ///< keys of descriptors whose values are logged as they are; sorted
  static constexpr std::size_t kMaxFields = 8;  ///< the most fields of requests, and the most fields of answers
};

/// Names and values, for one line.
using LoggedValues = std::vector<std::pair<std::string_view, std::string_view>>;

/// Returns the parameters that every log masks: the usual names of credentials. Lower case.
std::vector<std::string> usual_secrets();

/// Returns the reason why a field of this name is never logged, as the end of a sentence; empty if it may be logged.
std::string_view why_not_logged(std::string_view name) noexcept;

/// Appends the values of these fields. Several lines of one field are joined by ", ", and cut where the log would cut
/// them. URLs are logged without their query, which may contain a secret. The appended values are views into `fields`,
/// `wanted` and `text`.
void append_logged(const std::vector<LoggedFields::Field>& wanted, const http::Fields& fields, TextArena& text,
                   LoggedValues& out);

/// Returns the call as envoy::call_text() writes it, with an id in place of each value whose key is not shown. Returns
/// "" if the text would be longer than the log allows. A view into `text`.
std::string_view logged_call(const envoy::RateLimitRequest& request, const LoggedFields& wanted, TextArena& text);

/// Returns `query` without its '?', with "***" in place of masked values. Names are compared as a server reads them,
/// regardless of case and escapes. A view into `text` or `query`.
std::string_view masked_query(std::string_view query, const std::vector<std::string>& masked, TextArena& text);

}  // namespace headgate::gateway
