#pragma once
// Suspensions as JSON, for the admin interface and for the webhook.

#include "headgate/limit/ban.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::services {

/// Writes the members in the order of the documentation.
nlohmann::ordered_json to_json(const limit::Ban& ban, Instant now);
/// Serializes JSON for sending. Keys may contain any bytes; bytes that are not UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json& json);

/// Returns the body of the webhook for `ban`, sent by the gateway `instance`.
std::string webhook_body(const limit::Ban& ban, const std::string& instance);
/// Returns a new id for a webhook: "ban_" and 32 random hex digits.
std::string webhook_id();

}  // namespace headgate::services
