#pragma once
// The request's path: route, caller, limits, server, relay. One for each worker.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/access_log.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace headgate::gateway {

struct AdmissionPart;
class Outage;

/// What the path works with beside its configuration.
struct Services {
  boost::asio::io_context& loop;
  limit::MemoryStore& memory;  ///< shared by all workers
  observe::AccessLog& access_log;
};

/// Worker thread only.
class Gateway final : public Handler {
 public:
  Gateway(Services services, SnapshotPtr snapshot);
  ~Gateway() override;

  Task<void> handle(Exchange& x) override;
  void refused(Exchange& x) override;
  bool trusts(const boost::asio::ip::address& peer) const override;

  /// What exchanges begin under from now on.
  void adopt(SnapshotPtr snapshot);
  /// Nothing is done in the background any more. No exchange begins after it.
  void stop();

 private:
  using Step = std::optional<Problem>;  // nothing: go on

  Step find_route(Exchange& x);
  Step identify(Exchange& x);
  Step authenticate(Exchange& x);
  Step check_certificate(Exchange& x);
  Step check_key(Exchange& x);
  Step check_token(Exchange& x);
  identity::TokenMemory::Known verify(Exchange& x, std::string_view token);
  Problem key_missing(Exchange& x, const limit::Limit& limit);
  Step reserve_failure(Exchange& x);
  void return_failure(Exchange& x);
  Step admit(Exchange& x, Stage stage);
  Task<Step> admit_in_redis(Exchange& x);
  Step admit_without_redis(Exchange& x);
  Step admit_by_share(Exchange& x);
  void return_share(Exchange& x);
  Step decide_here(Exchange& x, const AdmissionPart& part);
  Task<void> hold_back(Exchange& x);
  Task<Step> serve(Exchange& x);
  Step check_body(const Exchange& x) const;
  void take_back(Exchange& x, std::size_t count);
  void settle(Exchange& x, const Step& problem);
  void finish(Exchange& x);

  Services services_;
  SnapshotPtr snapshot_;
  std::shared_ptr<Outage> outage_;
  std::unique_ptr<identity::TokenMemory> tokens_;
};

}  // namespace headgate::gateway
