#pragma once
// Answers the requests of the admin interface: checks who may ask, then does what the endpoint's row says. It uses the
// same codec as the gateway.

#include "admin_audit.hpp"
#include "token_guesses.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <boost/asio/io_context.hpp>

#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

/// Admin thread only.
class AdminHandler final : public gateway::Handler {
 public:
  /// Who may call what is not for everyone. Without a token, the Host of the request must be an address or localhost.
  struct Tokens {
    std::string all;   ///< may call everything; empty: none is needed
    std::string read;  ///< may only read; empty: nobody has it
  };
  AdminHandler(const Tokens& tokens, std::vector<AdminEndpoint> endpoints, boost::asio::io_context& loop);
  /// For calls that begin from now on.
  void use_tokens(const Tokens& tokens);
  Task<void> handle(gateway::Exchange& x) override;
  void refused(gateway::Exchange&) override {}

 private:
  /// Sends the refusal and returns true, if this call may not be made.
  Task<bool> refused_access(gateway::Exchange& x, const AdminMatch& match, AdminRole& role);
  Task<void> answer(gateway::Exchange& x, const AdminEndpoint& asked, const AdminCall& call);
  static Task<void> finish(gateway::Exchange& x, const AdminEndpoint& asked, const AdminCall& call,
                           const AdminAnswer& answer);
  Task<void> send_stream(gateway::Exchange& x, const AdminEndpoint& asked, const AdminCall& call);
  /// The seconds for which the caller's token is not looked at, because too many were wrong; 0: it was.
  std::uint64_t look_at_token(const gateway::Exchange& x, std::optional<AdminRole>& role);
  std::optional<AdminRole> role_of(const gateway::Exchange& x) const;
  std::string others() const;

  boost::asio::io_context& loop_;  // of the admin thread
  bool guarded_ = false;           // by a token
  bool has_operators_ = false;
  bool has_readers_ = false;
  identity::Sha256 token_;
  identity::Sha256 read_token_;
  AdminAudit audit_;
  TokenGuesses guesses_;
  std::vector<AdminEndpoint> endpoints_;
};

}  // namespace headgate::server
