#pragma once
// Answers the requests of the admin interface: checks who may ask, then does what the endpoint's row says. It uses the
// same codec as the gateway.

#include "headgate/admin/admin_audit.hpp"
#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/token_guesses.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/identity/sha256.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::admin {

/// Admin thread only.
class AdminHandler final : public gateway::Handler {
 public:
  /// Who may call what is not for everyone. Without a token, the Host of the request must be an address or localhost.
  struct Tokens {
    std::vector<std::string> all;   ///< each may call everything; none: none is needed
    std::vector<std::string> read;  ///< each may only read; none: nobody has one
  };
  /// `loop` is the admin thread's.
  AdminHandler(const Tokens& tokens, std::vector<AdminEndpoint> endpoints, boost::asio::io_context& loop);
  ~AdminHandler() override;
  /// For calls that begin from now on. Where none is needed any more, calls through a listener that is closed still
  /// need one of those before.
  void use_tokens(const Tokens& tokens);
  Task<void> handle(gateway::Exchange& x) override;
  void refused(gateway::Exchange&) override {}

 private:
  class WayBack;
  class Later;
  /// Digests of tokens.
  struct Known {
    std::vector<identity::Sha256> all;
    std::vector<identity::Sha256> read;
    bool guard() const noexcept { return !all.empty() || !read.empty(); }  ///< else whoever can connect may call
  };
  /// Those of which the call needs one.
  const Known& known_to(const gateway::Exchange& x) const;
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

  const std::shared_ptr<WayBack> back_;
  Known known_;
  Known known_before_;  // the last that guarded, until left_at_
  std::chrono::steady_clock::time_point left_at_;
  AdminAudit audit_;
  TokenGuesses guesses_;
  std::vector<AdminEndpoint> endpoints_;
};

}  // namespace headgate::admin
