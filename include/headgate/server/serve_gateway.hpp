#pragma once
// The gateway as a program of the server: turns a checked configuration into workers that run the request path.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"
#include "headgate/config/read_config.hpp"

#include <string>
#include <vector>

namespace headgate::server {

/// Uses the hash secret of the process that this one replaces, if there is one. Without that secret, the counters of
/// the old process cannot be taken over. Call it before anything is hashed, so before a configuration is read.
void take_over_hashes() noexcept;

/// Returns whether another process started this one as its replacement, and reads the reasons that tell_replaced()
/// sends. Main thread, until serve_gateway() returns.
bool replaces_another() noexcept;
/// Sends the mistakes in the configuration to the old process, which logs them in its own format because both processes
/// share stderr. Sends at most twenty mistakes, errors before warnings; a mistake without a place has line 0. Returns
/// false if the old process does not read all of them.
bool tell_replaced(const std::vector<config::Diagnostic>& mistakes, const std::string& file) noexcept;
/// Sends another reason why this process cannot serve, a sentence without its full stop.
bool tell_replaced(const std::string& why) noexcept;

/// Serves `config` until a stop signal; returns as serve() does.
///
/// A reload replaces the whole configuration at once by the result of `read_again`, except for the number of workers
/// and the number of counters in memory. Requests in flight finish with the old configuration. The gateway reloads at
/// SIGHUP, after `POST /api/v1/reload` on the admin port, and when one of the files `watched` (as
/// config::ReadConfig::watched) has changed. If `watched` is empty, no file is watched.
///
/// Throws std::invalid_argument for a configuration that the checker would not accept.
int serve_gateway(const config::Config& config, const config::ReadAgain& read_again,
                  const std::vector<std::string>& watched = {});

}  // namespace headgate::server
