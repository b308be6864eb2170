#pragma once
// Whoever answers exchanges: the gateway's path, or a demo upstream. The codec hands it one after another.

#include "headgate/core/task.hpp"

#include <boost/asio/ip/address.hpp>

#include <exception>

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

/// What becomes of an exchange whose handle() threw: a bug is told to the log, and to the client as 500, where
/// nothing was told to it yet, and then to the handler, by refused().
Task<void> answer_bug(Handler& handler, Exchange& exchange, std::exception_ptr thrown);

}  // namespace headgate::gateway
