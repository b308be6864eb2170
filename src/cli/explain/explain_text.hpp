#pragma once
// Texts for people: how a request would be handled, and the routes.

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::cli {

/// Returns the text for `told`, an answer of POST /api/v1/explain, or the same made with `offline` for a gateway that
/// is not running.
std::string explain_text(const nlohmann::ordered_json& told, bool colours);
// The functions below are shared with the text for a past request.

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
