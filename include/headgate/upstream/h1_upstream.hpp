#pragma once
// An upstream whose servers speak HTTP/1.1: uses them in turn, with a pool of open connections to each.

#include "headgate/balance/table.hpp"
#include "headgate/net/tls_context.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/upstream/environment.hpp"
#include "headgate/upstream/options.hpp"
#include "headgate/upstream/upstream.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace headgate::upstream {

class H1Pool;

/// How the servers of one upstream are reached over TLS. `context` is null for plain HTTP; else it was made from
/// Options::tls, and the counters are those of this worker.
struct TlsUse {
  std::shared_ptr<const net::TlsContext> context;
  observe::UpstreamHandshakeCounters counters;
};

/// Worker thread only, except for the states in servers(). Attempts must be given back or released before it is
/// destroyed.
class H1Upstream final : public Upstream {
 public:
  /// The connections are made on `environment.loop`, when needed.
  H1Upstream(Environment environment, const Options& options, TlsUse tls = {});
  ~H1Upstream() override;
  H1Upstream(const H1Upstream&) = delete;
  H1Upstream& operator=(const H1Upstream&) = delete;

  const std::string& name() const noexcept override { return options_.name; }
  AttemptPtr take_idle() noexcept override;
  Task<Result<AttemptPtr, Failure>> connect() override;
  void give_back(AttemptPtr attempt, Duration took) override;
  shed::Concurrency* concurrency() noexcept override { return concurrency_ ? &*concurrency_ : nullptr; }
  void stop() override;

  /// Its servers, in the order of the options. Any thread may write their states.
  balance::Table& servers() noexcept { return table_; }

 private:
  Options options_;
  balance::Table table_;
  TlsUse tls_;
  std::vector<std::unique_ptr<H1Pool>> pools_;  ///< one for each server of the table
  std::uint64_t turn_ = 0;
  std::optional<shed::Concurrency> concurrency_;
};

}  // namespace headgate::upstream
