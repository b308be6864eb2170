#pragma once
// What a gateway would do with a request, without one that runs: for the command line.

#include "headgate/config/config.hpp"
#include "headgate/gateway/explain.hpp"

#include <string>

namespace headgate::server {

/// What a gateway that has just started with `config` would do with the request, as POST /api/v1/explain answers it:
/// all of every limit is left. Reads the files of keys; asks neither Redis nor the issuers of tokens.
/// Throws std::runtime_error if a file cannot be used.
std::string explain_offline(const config::Config& config, gateway::ExplainedRequest request);

}  // namespace headgate::server
