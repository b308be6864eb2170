#pragma once
// Answers requests to the admin interface: checks the caller's rights, then runs the endpoint. Heads and bodies are
// read and written by the same codec as those of the gateway.

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

/// The handler of all requests to the admin interface. Admin thread only.
class AdminHandler final : public gateway::Handler {
 public:
  /// The tokens for calls that are not open to everyone. Without tokens, the Host header must be an IP address or
  /// localhost.
  struct Tokens {
    std::vector<std::string> all;   ///< Tokens that may call everything; empty if no token is required.
    std::vector<std::string> read;  ///< Tokens that may only read; empty if there are none.
  };
  /// `loop` is the loop of the admin thread.
  AdminHandler(const Tokens& tokens, std::vector<AdminEndpoint> endpoints, boost::asio::io_context& loop);
  ~AdminHandler() override;
  /// Sets the tokens for calls that begin from now on. If tokens are no longer required, calls through a listener that
  /// is being closed still need one of the previous tokens.
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
    /// Returns whether a call needs a token. Without one, everyone who can connect may make the call.
    bool guard() const noexcept { return !all.empty() || !read.empty(); }
  };
  /// Returns the tokens that are valid for this call.
  const Known& known_to(const gateway::Exchange& x) const;
  /// Sends a refusal and returns true if this call is not allowed.
  Task<bool> refused_access(gateway::Exchange& x, const AdminMatch& match, AdminRole& role);
  Task<void> answer(gateway::Exchange& x, const AdminEndpoint& asked, const AdminCall& call);
  static Task<void> finish(gateway::Exchange& x, const AdminEndpoint& asked, const AdminCall& call,
                           const AdminAnswer& answer);
  Task<void> send_stream(gateway::Exchange& x, const AdminEndpoint& asked, const AdminCall& call);
  /// Checks the caller's token. Returns 0, or the seconds until this address may try again if it sent too many wrong
  /// tokens.
  std::uint64_t look_at_token(const gateway::Exchange& x, std::optional<AdminRole>& role);
  std::optional<AdminRole> role_of(const gateway::Exchange& x) const;
  std::string others() const;

  const std::shared_ptr<WayBack> back_;
  Known known_;
  Known known_before_;  // The last tokens that were required; valid until left_at_.
  std::chrono::steady_clock::time_point left_at_;
  AdminAudit audit_;
  TokenGuesses guesses_;
  std::vector<AdminEndpoint> endpoints_;
};

}  // namespace headgate::admin
