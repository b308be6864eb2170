#pragma once
// The expected outcome of a request as JSON, for the admin interface and the command line.

#include "headgate/config/config.hpp"
#include "headgate/gateway/explain.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace headgate::admin {

nlohmann::ordered_json to_json(const gateway::Explanation& told, const gateway::ConsideredRoutes& candidates);

/// Reads the body of a question: { "method", "url", "headers": [["name", "value"], …], "ip" } about a request, or
/// { "domain", "descriptors": [{ "key": "value" }, …], "hits" } about a call of the rate limit service. The error is a
/// sentence without its full stop.
Result<gateway::ExplainedRequest, std::string> explained_request(std::string_view body);

/// Returns the port to which the first listener without TLS redirects; 0 if that listener serves requests itself.
std::uint16_t https_port_of(const config::Config& config);

}  // namespace headgate::admin
