#include "headgate/redis/tls.hpp"

#include "headgate/net/tls_context.hpp"

namespace headgate::redis {

Result<void, std::string> check_tls(const TlsOptions& options) {
  if (auto made = net::TlsContext::of_client(options); made.has_error())
    return Result<void, std::string>(boost::system::in_place_error, made.error());
  return {};
}

}  // namespace headgate::redis
