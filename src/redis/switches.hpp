#pragma once
// Listens to Sentinels for the news that another server is the master now.

#include "health_log.hpp"
#include "link.hpp"
#include "setup.hpp"

#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace headgate::redis {

/// Subscribed to +switch-master at each of them, and again where a connection is lost. A message can be missed, so who
/// uses this asks now and then all the same. Worker thread only; handlers keep it alive until stop().
class Switches : public std::enable_shared_from_this<Switches> {
 public:
  using Told = std::function<void(const Node& by)>;

  Switches(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  /// `told` is called whenever a Sentinel says that it knows another master of our name, until stop().
  void start(std::span<const Node> sentinels, Told told);
  void stop();

 private:
  class Ear;

  boost::asio::io_context& loop_;
  const std::shared_ptr<const Setup> setup_;
  Told told_;
  LineGate refusals_;
  std::vector<std::shared_ptr<Ear>> ears_;
};

}  // namespace headgate::redis
