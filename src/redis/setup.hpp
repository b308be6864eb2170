#pragma once
// What all connections of one limiter share.

#include "tls_context.hpp"

#include "headgate/redis/options.hpp"

#include <memory>
#include <string>

namespace headgate::redis {

/// Made once by Servers::make, then only read.
struct Setup {
  Options options;
  std::shared_ptr<const TlsContext> tls;  ///< null where there is none to be
  std::string tls_error;                  ///< why TLS is asked for and cannot be had: then nothing connects
};

}  // namespace headgate::redis
