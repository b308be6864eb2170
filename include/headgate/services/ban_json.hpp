#pragma once
// A suspension as JSON: for the admin interface and for the webhook.

#include "headgate/limit/ban.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::services {

/// Its members in the order of the documents.
nlohmann::ordered_json to_json(const limit::Ban& ban, Instant now);
/// As it is sent. Keys may have any bytes; those that are no UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json& json);

/// The body of the webhook for `ban`, made by the gateway `instance`.
std::string webhook_body(const limit::Ban& ban, const std::string& instance);
/// A new id for one webhook: "ban_" and 32 random hex digits.
std::string webhook_id();

}  // namespace headgate::services
