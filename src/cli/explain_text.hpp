#pragma once
// What would happen to a request, and the routes, for people.

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::cli {

/// `told` as POST /api/v1/explain answers it; with `offline`, of a gateway that does not run.
std::string explain_text(const nlohmann::ordered_json& told, bool colours);
/// `told` as server::routes_in_order() has it.
std::string routes_text(const nlohmann::ordered_json& told, bool colours);

}  // namespace headgate::cli
