#include "headgate/services/webhook_service.hpp"

#include <utility>

namespace headgate::services {

void WebhookService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  const auto& options = active->config->webhook;
  if (stopped_) return;
  on_.store(options.has_value(), std::memory_order_relaxed);
  if (!options) return;
  if (webhook_) return webhook_->use(*options);
  const std::lock_guard lock(mutex_);
  webhook_ = std::make_unique<notify::Webhook>(loop_, clock_, *options);
}

bool WebhookService::send(std::string id, std::string body, std::function<void(notify::Fate)> ended) {
  if (!on() || !webhook_) return false;
  webhook_->send(std::move(id), std::move(body), std::move(ended));
  return true;
}

std::optional<notify::WebhookCounts> WebhookService::counts() const {
  const std::lock_guard lock(mutex_);
  return webhook_ ? std::optional(webhook_->counts()) : std::nullopt;
}

void WebhookService::stop() {
  if (!std::exchange(stopped_, true) && webhook_) webhook_->stop();
}

}  // namespace headgate::services
