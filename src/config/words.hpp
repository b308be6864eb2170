#pragma once
// Describes parts of a valid configuration in words, for meaning.cpp. A text is empty if there is nothing to say.

#include "headgate/config/config.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::config {

/// Returns a paragraph about billing; empty if no limit is billed.
std::string billing_in_words(const Config& config);

/// Returns a sentence for routes whose costs are read from bodies, about their WebSockets and about callers who leave;
/// empty if there is no such route that could open WebSockets.
std::string content_costs_in_words(const Config& config);

/// Returns a sentence for each of tracing and webhook that is configured; "" if neither is.
std::string observing_in_words(const Config& config);

/// Returns one line for each room; "" if there is none.
std::string rooms_in_words(const Config& config);

/// Returns, for example, "a token with scope orders:write and plan pro or enterprise"; empty if the route demands only
/// a valid credential.
std::string demands_in_words(const gateway::RouteOptions& route);

/// Returns a sentence for each "cors" of the file; empty if there is none.
std::string origins_in_words(const gateway::PathOptions& options);
/// Returns the cost of regular expressions; empty if no route has one.
std::string regexes_in_words(const gateway::PathOptions& options);

/// Returns how many routes compress their answers, and what to consider then; empty if none does.
std::string compression_in_words(const gateway::PathOptions& options);

/// Explains the effect of routes that keep encoded slashes, one line per route; "" if there is none.
std::string kept_slashes(const gateway::PathOptions& options);

/// Returns a table of the first fifty routes in file order: the target of each, who may use it, and its limits with
/// their costs and scales.
std::string routes_in_words(const gateway::PathOptions& options);
/// Returns all rows of the table of routes_in_words(). The member `open_to` is a list.
nlohmann::ordered_json routes_as_json(const gateway::PathOptions& options);

/// Returns a sentence for each listener with TLS; "" if none has it. Reads the certificates again.
std::string tls_in_words(const Config& config);

/// Returns a paragraph for each upstream that sets more than its servers; "" if there is none.
std::string balance_in_words(const Config& config);

/// Returns a paragraph for each upstream with HTTP/2 or retries and for each route with a mirror or held bodies; empty
/// if there is none.
std::string delivery_in_words(const Config& config);

/// Returns one paragraph for each upstream with health checks or bounds of its servers.
std::string care_in_words(const Config& config);

/// Returns how servers are chosen and given up; empty if no upstream has two servers or a circuit breaker.
std::string servers_in_words(const Config& config);

/// Returns a paragraph for each upstream with a concurrency, and one for the lag of workers; "" if there is none.
std::string shedding_in_words(const Config& config);

}  // namespace headgate::config
