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

/// The sender of webhooks. One per process; main thread, except where a function allows any thread.
class WebhookService final : public Service {
 public:
  /// Both arguments must outlive this object.
  WebhookService(boost::asio::io_context& loop, Clock& clock) : loop_(loop), clock_(clock) {}

  /// Applies the options of the configuration. If there are none, no further webhooks are accepted, and waiting ones
  /// are still sent.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Returns whether the configuration has a webhook. Any thread.
  bool on() const noexcept { return on_.load(std::memory_order_relaxed); }
  /// Sends a webhook (Webhook::send). Returns false if the configuration has none; `ended` is then not called.
  bool send(std::string id, std::string body, std::function<void(notify::Fate)> ended = {});
  /// Returns the numbers of webhooks; empty if there never was a webhook. Any thread.
  std::optional<notify::WebhookCounts> counts() const;
  /// Stops the service. Webhooks that are waiting, or that are sent after this call, get a last attempt while the loop
  /// runs.
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
