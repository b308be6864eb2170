#pragma once
// What would happen to a request, and the routes, for people.

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::cli {

/// `told` as POST /api/v1/explain answers it; with `offline`, of a gateway that does not run.
std::string explain_text(const nlohmann::ordered_json& told, bool colours);
// What the story of a past request shares with it.

/// A member as text that a terminal may see; "" if it is absent or null.
std::string member_text(const nlohmann::ordered_json& object, const char* name);
/// A number of seconds: "12 s", "0.25 s", "3 min", "2 h"; whatever is no number: "never".
std::string wait_text(const nlohmann::ordered_json& seconds);
/// The member `caller` of an explanation: the address, who named it, and each credential with its result.
std::string caller_text(const nlohmann::ordered_json& caller);

/// `told` as admin::routes_in_order() has it.
std::string routes_text(const nlohmann::ordered_json& told, bool colours);

}  // namespace headgate::cli
