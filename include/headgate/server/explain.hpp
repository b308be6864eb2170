#pragma once
// Explains a request without a running gateway, for the command line.

#include "headgate/config/config.hpp"
#include "headgate/gateway/explain.hpp"

#include <string>

namespace headgate::server {

/// Returns what a gateway that has just started with `config` would do with the request, in the form of POST
/// /api/v1/explain: all limits are unused. Reads the key files; asks neither Redis nor the issuers of tokens. Throws
/// std::runtime_error if a file cannot be used.
std::string explain_offline(const config::Config& config, gateway::ExplainedRequest request);

}  // namespace headgate::server
