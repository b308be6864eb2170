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
    std::vector<std::string> all;   ///< each may call everything; none: none is needed
    std::vector<std::string> read;  ///< each may only read; none: nobody has one
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
  /// By a token.
  bool guarded() const noexcept { return !tokens_.empty() || !read_tokens_.empty(); }
  /// The seconds for which the caller's token is not looked at, because too many were wrong; 0: it was.
  std::uint64_t look_at_token(const gateway::Exchange& x, std::optional<AdminRole>& role);
  std::optional<AdminRole> role_of(const gateway::Exchange& x) const;
  std::string others() const;

  boost::asio::io_context& loop_;         // of the admin thread
  std::vector<identity::Sha256> tokens_;  // none, and no read_tokens_: whoever can connect may call
  std::vector<identity::Sha256> read_tokens_;
  AdminAudit audit_;
  TokenGuesses guesses_;
  std::vector<AdminEndpoint> endpoints_;
};

}  // namespace headgate::server
