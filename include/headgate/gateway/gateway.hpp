#pragma once
// The request's path: route, caller, limits, server, relay. One for each worker.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/upstream/upstream.hpp"

#include <optional>
#include <span>

namespace headgate::gateway {

/// What the path works with; owned by the worker, but for the memory store, which all workers share.
struct Services {
  const Site& site;
  limit::MemoryStore& memory;
  redis::Limiter* redis = nullptr;  ///< null only where no limit is counted in Redis
  std::span<const std::unique_ptr<upstream::Upstream>> upstreams;
  observe::AccessLog& access_log;
};

/// Worker thread only.
class Gateway final : public Handler {
 public:
  explicit Gateway(Services services) : services_(services) {}

  Task<void> handle(Exchange& x) override;
  void refused(Exchange& x) override;

 private:
  using Step = std::optional<Problem>;  // nothing: go on

  Step find_route(Exchange& x);
  Step identify(Exchange& x);
  Step authenticate(Exchange& x);
  Step admit(Exchange& x, Stage stage);
  Task<Step> admit_in_redis(Exchange& x);
  Step admit_without_redis(Exchange& x);
  Task<void> observe_limits(Exchange& x);
  Task<Step> serve(Exchange& x);
  Step check_body(const Exchange& x) const;
  void take_back(Exchange& x);
  void finish(Exchange& x);

  Services services_;
};

}  // namespace headgate::gateway
