#pragma once
// The webhook of this process, for all that reports by it.

#include "headgate/net/loop_clock.hpp"
#include "headgate/notify/webhook.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace headgate::server {

/// One for each process, on the main thread except where it says any thread.
class WebhookService {
 public:
  explicit WebhookService(boost::asio::io_context& loop) : loop_(loop) {}

  /// Without options nothing more is taken; what waits is still sent.
  void use(const std::optional<notify::WebhookOptions>& options);
  /// Any thread: whether the configuration has a webhook.
  bool on() const noexcept { return on_.load(std::memory_order_relaxed); }
  /// See Webhook::send. False if the configuration has none; then `ended` is not called.
  bool send(std::string id, std::string body, std::function<void(notify::Fate)> ended = {});
  /// Nothing if there never was one. Any thread.
  std::optional<notify::WebhookCounts> counts() const;
  /// What waits, and what is sent from now on, gets a last attempt while the loop runs.
  void stop();

 private:
  boost::asio::io_context& loop_;
  net::LoopClock clock_{loop_};
  std::atomic<bool> on_{false};
  bool stopped_ = false;
  mutable std::mutex mutex_;
  std::unique_ptr<notify::Webhook> webhook_;  ///< used on the main thread; the pointer needs the lock
};

}  // namespace headgate::server
