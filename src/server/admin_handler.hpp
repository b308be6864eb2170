#pragma once
// What the admin interface answers. It stands behind the same codec as the front door.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/server/admin.hpp"

namespace headgate::server {

/// Admin thread only.
class AdminHandler final : public gateway::Handler {
 public:
  AdminHandler(const std::string& token, observe::Registry& registry, const std::function<Readiness()>& ready);
  Task<void> handle(gateway::Exchange& x) override;
  void refused(gateway::Exchange&) override {}

 private:
  struct Page;
  static const Page kPages[];

  Task<void> metrics(gateway::Exchange& x);
  Task<void> alive(gateway::Exchange& x);
  Task<void> ready(gateway::Exchange& x);
  bool knows_token(const gateway::Exchange& x) const;

  bool guarded_;  // by a token
  identity::Sha256 token_;
  observe::Registry& registry_;
  const std::function<Readiness()>& ready_;
};

}  // namespace headgate::server
