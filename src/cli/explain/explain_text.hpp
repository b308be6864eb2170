#pragma once
// Texts for people: how a request would be handled, and the routes.

#include "cli/text_table.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headgate::cli {

/// Returns the text for `told`, an answer of POST /api/v1/explain, or the same made with `offline` for a gateway that
/// is not running.
std::string explain_text(const nlohmann::ordered_json& told, bool colours);
/// Returns the same for an answer about a call of the rate limit service.
std::string call_text(const nlohmann::ordered_json& told, bool colours);
// The declarations below are shared by the texts for a request, a call and a past request.

/// The table with the rates of limits, as in the member `limits` of an explanation.
class LimitTable {
 public:
  /// `first_heads` are the heads of additional columns at the beginning.
  LimitTable(std::vector<std::string> first_heads, const std::string& last_head);
  /// Adds the limits. `first` has the cells of the additional columns.
  void add(const std::vector<std::string>& first, const nlohmann::ordered_json& limits);
  /// Returns an empty line and the table; "" if no limit was added.
  std::string text(bool colours) const;

 private:
  TextTable table_;
};

/// Returns a sentence about an answer without a gateway or without Redis, after an empty line; "" if there was both.
std::string source_text(const nlohmann::ordered_json& told);

/// Returns a member as text that is safe for a terminal; "" if it is absent or null.
std::string member_text(const nlohmann::ordered_json& object, const char* name);
/// Returns a number of seconds as "12 s", "0.25 s", "3 min" or "2 h"; "never" for anything other than a number.
std::string wait_text(const nlohmann::ordered_json& seconds);
/// Returns the text for the member `caller` of an explanation: the address, who reported it, and each credential with
/// its result.
std::string caller_text(const nlohmann::ordered_json& caller);

/// Returns the text for `told`, a result of admin::routes_in_order().
std::string routes_text(const nlohmann::ordered_json& told, bool colours);

}  // namespace headgate::cli
