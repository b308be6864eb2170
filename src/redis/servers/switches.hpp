#pragma once
// The subscription to the Sentinels' announcements of a new master.

#include "redis/setup.hpp"
#include "redis/wire/health_log.hpp"
#include "redis/wire/link.hpp"

#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace headgate::redis {

/// Subscribes to +switch-master at each Sentinel, and again after a connection breaks. A message can be lost, so the
/// user also queries from time to time. Worker thread only; handlers keep it alive until stop().
class Switches : public std::enable_shared_from_this<Switches> {
 public:
  using OnSwitch = std::function<void(const RedisNode& by)>;

  Switches(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  /// Calls `on_switch` whenever a Sentinel announces another master with the configured name, until stop().
  void start(std::span<const RedisNode> sentinels, OnSwitch on_switch);
  void stop();

 private:
  class Ear;

  boost::asio::io_context& loop_;
  const std::shared_ptr<const Setup> setup_;
  OnSwitch on_switch_;
  LineGate refusals_;
  std::vector<std::shared_ptr<Ear>> ears_;
};

}  // namespace headgate::redis
