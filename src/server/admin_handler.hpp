#pragma once
// Answers the requests of the admin interface: checks who may ask, then does what the endpoint's row says. It uses the
// same codec as the gateway.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <string>
#include <vector>

namespace headgate::server {

/// Admin thread only.
class AdminHandler final : public gateway::Handler {
 public:
  /// `token`: required for endpoints that are not for everyone. Empty: the Host of the request must be an address or
  /// localhost.
  AdminHandler(const std::string& token, std::vector<AdminEndpoint> endpoints);
  Task<void> handle(gateway::Exchange& x) override;
  void refused(gateway::Exchange&) override {}

 private:
  bool knows_token(const gateway::Exchange& x) const;
  std::string others() const;

  bool guarded_;  // by a token
  identity::Sha256 token_;
  std::vector<AdminEndpoint> endpoints_;
};

}  // namespace headgate::server
