#pragma once
// Reads a "tls" block of connections that headgate makes: to Redis, to the servers of an upstream.

#include "config/text/document.hpp"
#include "config/text/report.hpp"

#include "headgate/net/tls/tls_options.hpp"

#include <string_view>

namespace headgate::config {

/// What differs between the blocks.
struct ClientTlsTexts {
  std::string_view accepted;  ///< what happens with "verify": false, a sentence without its dot
  std::string_view name;      ///< of the files in examples: "redis" for "/etc/headgate/redis-ca.pem"
};

/// Fills `out` from the object `written`, opens its files, and reports what cannot be used, at its place.
void build_client_tls(Report& report, const Node& written, net::TlsOptions& out, const ClientTlsTexts& texts);

}  // namespace headgate::config
