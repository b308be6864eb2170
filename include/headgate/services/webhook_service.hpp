#pragma once
// The webhook of this process, shared by everything that reports through it.

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

/// One per process, on the main thread unless a function says any thread.
class WebhookService final : public Service {
 public:
  /// Both arguments must outlive it.
  WebhookService(boost::asio::io_context& loop, Clock& clock) : loop_(loop), clock_(clock) {}

  /// Without options nothing more is accepted; waiting webhooks are still sent.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Whether the configuration has a webhook. Any thread.
  bool on() const noexcept { return on_.load(std::memory_order_relaxed); }
  /// See Webhook::send. Returns false if the configuration has no webhook; then `ended` is not called.
  bool send(std::string id, std::string body, std::function<void(notify::Fate)> ended = {});
  /// Empty if there never was a webhook. Any thread.
  std::optional<notify::WebhookCounts> counts() const;
  /// Waiting webhooks, and those sent from now on, get a last attempt while the loop runs.
  void stop() override;

 private:
  boost::asio::io_context& loop_;
  Clock& clock_;
  std::atomic<bool> on_{false};
  bool stopped_ = false;
  mutable std::mutex mutex_;
  std::unique_ptr<notify::Webhook> webhook_;  ///< Used on the main thread; the pointer needs the lock.
};

}  // namespace headgate::services
