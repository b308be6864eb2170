#pragma once
// What all connections of one limiter share.

#include "headgate/net/tls/tls_context.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <memory>
#include <string>

namespace headgate::redis {

/// Made once by Servers::make, then only read.
struct Setup {
  RedisOptions options;
  ReplyReader::Keep keep = ReplyReader::Keep::decisions;  ///< of the replies of data servers
  bool tells = true;                                      ///< logs when Redis is lost and found
  std::shared_ptr<const net::TlsContext> tls;             ///< null without TLS
  std::string tls_error;  ///< why TLS is configured but cannot be used: then nothing connects
};

}  // namespace headgate::redis
