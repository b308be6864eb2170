#pragma once
// Reads a "tls" block for connections that headgate makes: to Redis, or to the servers of an upstream.

#include "config/text/document.hpp"
#include "config/text/report.hpp"

#include "headgate/net/tls/tls_options.hpp"

#include <string_view>

namespace headgate::config {

/// The texts that differ between the blocks.
struct ClientTlsTexts {
  std::string_view accepted;  ///< the effect of "verify": false, a sentence without its full stop
  std::string_view name;      ///< the name of files in examples: "redis" for "/etc/headgate/redis-ca.pem"
};

/// Fills `out` from the object `written`, opens its files, and reports unusable ones at their place.
void build_client_tls(Report& report, const Node& written, net::TlsOptions& out, const ClientTlsTexts& texts);

}  // namespace headgate::config
