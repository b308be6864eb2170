#pragma once
// The webhook of this process, for all that reports by it.

#include "headgate/core/clock.hpp"
#include "headgate/notify/webhook.hpp"
#include "headgate/services/service.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace headgate::services {

/// One for each process, on the main thread except where it says any thread.
class WebhookService final : public Service {
 public:
  /// Both outlive it.
  WebhookService(boost::asio::io_context& loop, Clock& clock) : loop_(loop), clock_(clock) {}

  /// Without options nothing more is taken; what waits is still sent.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Any thread: whether the configuration has a webhook.
  bool on() const noexcept { return on_.load(std::memory_order_relaxed); }
  /// See Webhook::send. False if the configuration has none; then `ended` is not called.
  bool send(std::string id, std::string body, std::function<void(notify::Fate)> ended = {});
  /// Nothing if there never was one. Any thread.
  std::optional<notify::WebhookCounts> counts() const;
  /// What waits, and what is sent from now on, gets a last attempt while the loop runs.
  void stop() override;

 private:
  boost::asio::io_context& loop_;
  Clock& clock_;
  std::atomic<bool> on_{false};
  bool stopped_ = false;
  mutable std::mutex mutex_;
  std::unique_ptr<notify::Webhook> webhook_;  ///< used on the main thread; the pointer needs the lock
};

}  // namespace headgate::services
