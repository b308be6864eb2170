#pragma once
// Whoever answers exchanges: the gateway's path, or a demo upstream. A session hands it exchanges, several at a time.

#include "headgate/core/task.hpp"

#include <boost/asio/ip/address.hpp>

namespace headgate::gateway {

struct Exchange;

class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers `exchange`, whatever happens; returns when the reply is written or broken off. What it throws is a bug.
  virtual Task<void> handle(Exchange& exchange) = 0;
  /// A request that the codec has answered with `status`: it refused its head, so that it never became an exchange, or
  /// handle() threw. For log and metrics.
  virtual void refused(Exchange& exchange) = 0;
  /// Whether `peer` may speak for others: what it says of where a connection comes from is then believed.
  virtual bool trusts(const boost::asio::ip::address& peer) const { return static_cast<void>(peer), false; }
};

}  // namespace headgate::gateway
