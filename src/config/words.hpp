#pragma once
// The parts of a valid configuration in words, for meaning.cpp. Each is empty if there is nothing to say.

#include "headgate/config/config.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headgate::config {

/// Empty if nothing is; else a paragraph.
std::string billing_in_words(const Config& config);

/// A sentence for each of both that is configured; "" if none is.
std::string observing_in_words(const Config& config);

/// One line for each room; "" if there is none.
std::string rooms_in_words(const Config& config);

/// "a token with scope orders:write and plan pro or enterprise"; empty if the route demands no more than a valid
/// credential.
std::string demands_in_words(const gateway::RouteOptions& route);

/// A sentence for each "cors" of the file; empty if there is none.
std::string origins_in_words(const gateway::PathOptions& options);
/// What regular expressions cost; empty if no route has one.
std::string regexes_in_words(const gateway::PathOptions& options);

/// How many routes compress, and what to think of then; empty if none does.
std::string compression_in_words(const gateway::PathOptions& options);

/// Explains the effect of routes that keep encoded slashes, one line per route; "" if there is none.
std::string kept_slashes(const gateway::PathOptions& options);

/// A table of the first fifty routes in file order: where each goes, who may use it, and its limits with their costs
/// and scales.
std::string routes_in_words(const gateway::PathOptions& options);
/// All rows of that table; `open_to` is a list.
nlohmann::ordered_json routes_as_json(const gateway::PathOptions& options);

/// A sentence for each listener with TLS; "" if none has it. Reads the certificates again.
std::string tls_in_words(const Config& config);

/// A paragraph for each upstream that says more than its servers; "" without any.
std::string balance_in_words(const Config& config);

/// A paragraph for each upstream with HTTP/2 or retries and for each route with a mirror or held bodies; empty if there
/// is none.
std::string delivery_in_words(const Config& config);

/// One paragraph for each upstream with health checks or bounds of its servers.
std::string care_in_words(const Config& config);

/// Empty if no upstream has two servers or a circuit breaker.
std::string servers_in_words(const Config& config);

/// A paragraph for each upstream with a concurrency, and one for the lag of workers; "" without any.
std::string shedding_in_words(const Config& config);

}  // namespace headgate::config
