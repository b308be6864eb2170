#pragma once
// The settings that all connections of one limiter share.

#include "headgate/net/tls/tls_context.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <memory>
#include <string>

namespace headgate::redis {

/// The settings. Made once by Servers::make, then constant.
struct Setup {
  RedisOptions options;
  ReplyReader::Keep keep = ReplyReader::Keep::decisions;  ///< how much is kept of the replies of data servers
  bool tells = true;                           ///< whether to log when Redis becomes unavailable and available again
  std::shared_ptr<const net::TlsContext> tls;  ///< null without TLS
  std::string tls_error;  ///< why the configured TLS cannot be used; if not empty, no connection is made
};

}  // namespace headgate::redis
