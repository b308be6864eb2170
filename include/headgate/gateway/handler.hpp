#pragma once
// Whoever answers exchanges: the gateway's path, or a demo upstream. The codec hands it one after another.

#include "headgate/core/task.hpp"

#include <boost/asio/ip/address.hpp>

namespace headgate::gateway {

struct Exchange;

class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers `exchange`, whatever happens; returns when the reply is written or broken off. Does not throw.
  virtual Task<void> handle(Exchange& exchange) = 0;
  /// A request that never became an exchange: the codec refused it and has answered `status`. For the log.
  virtual void refused(Exchange& exchange) = 0;
  /// Whether `peer` may speak for others: what it says of where a connection comes from is then believed.
  virtual bool trusts(const boost::asio::ip::address& peer) const { return static_cast<void>(peer), false; }
};

}  // namespace headgate::gateway
