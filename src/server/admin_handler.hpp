#pragma once
// Answers the requests of the admin interface: checks who may ask, then does what the endpoint's row says. It uses the
// same codec as the gateway.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <boost/asio/io_context.hpp>

#include <string>
#include <vector>

namespace headgate::server {

/// Admin thread only.
class AdminHandler final : public gateway::Handler {
 public:
  /// `token`: required for endpoints that are not for everyone. Empty: the Host of the request must be an address or
  /// localhost.
  AdminHandler(const std::string& token, std::vector<AdminEndpoint> endpoints, boost::asio::io_context& loop);
  /// For calls that begin from now on.
  void use_token(const std::string& token);
  Task<void> handle(gateway::Exchange& x) override;
  void refused(gateway::Exchange&) override {}

 private:
  bool knows_token(const gateway::Exchange& x) const;
  std::string others() const;

  boost::asio::io_context& loop_;  // of the admin thread
  bool guarded_ = false;           // by a token
  identity::Sha256 token_;
  std::vector<AdminEndpoint> endpoints_;
};

}  // namespace headgate::server
