#include "ban_service.hpp"

#include "ban_json.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace headgate::server {
namespace {

// Three gateways learn of a suspension well within a second: one period to write it, one to read it.
constexpr auto kPeriod = std::chrono::milliseconds(300);

/// The names of the limits whose suspensions are shared.
std::set<std::string> shared_names(const config::Config& config) {
  std::set<std::string> out;
  for (const auto& limit : config.limits)
    if (limit.ban && limit.store == limit::Store::redis) out.insert(limit.name);
  return out;
}

}  // namespace

BanService::BanService(boost::asio::io_context& loop, OpenBanLog open, std::shared_ptr<WebhookService> webhooks)
    : loop_(loop),
      open_(std::move(open)),
      webhooks_(std::move(webhooks)),
      timer_(loop),
      table_([this](const limit::Ban& ban) { changed(ban); }) {}

std::shared_ptr<const config::Config> BanService::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

void BanService::adopt(std::shared_ptr<const config::Config> config) {
  auto shared = shared_names(*config);
  const bool other_redis = !config_ || config_->redis != config->redis;
  {
    const std::lock_guard lock(mutex_);
    shared_ = std::move(shared);
    config_.swap(config);
  }
  if (log_ && (other_redis || shared_.empty())) std::exchange(log_, nullptr)->stop();
  if (shared_.empty() || stopped_) return;
  if (!log_) {
    log_ = open_(*config_);
    position_.clear();
  }
  tick();
}

void BanService::await_first(Duration most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (log_ && !read_once_ && std::chrono::steady_clock::now() < end) loop_.run_one_until(end);
  if (loop_.stopped()) loop_.restart();
}

void BanService::stop() {
  stopped_ = true;
  timer_.cancel();
  if (log_) std::exchange(log_, nullptr)->stop();
}

void BanService::changed(const limit::Ban& ban) {
  if (webhooks_->on() && !ban.lifted) {
    boost::asio::post(loop_, [self = shared_from_this(), ban] {
      self->webhooks_->send(webhook_id(), webhook_body(ban, self->config_->instance));
    });
  }
  const std::lock_guard lock(mutex_);
  if (!shared_.contains(ban.limit)) return;
  if (waiting_.size() >= kMaxWaiting) waiting_.pop_front();
  waiting_.push_back(ban);
}

void BanService::tick() {
  if (!log_ || under_way_) return;
  under_way_ = true;
  spawn(exchange(shared_from_this(), log_), "log of suspensions");
}

Task<void> BanService::exchange(std::shared_ptr<BanService> self, std::shared_ptr<limit::BanLog> log) {
  auto sending = self->send(*log);
  const bool sent = co_await sending;
  if (sent && self->log_ == log) {
    auto receiving = self->receive(*log);
    if (co_await receiving) self->read_once_ = true;
  }
  self->under_way_ = false;
  self->arm();
}

/// False if Redis did not take all that waits: the rest waits for the next turn.
Task<bool> BanService::send(limit::BanLog& log) {
  for (;;) {
    std::optional<limit::Ban> next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) co_return true;
      next = waiting_.front();
    }
    auto call = log.append(*next);
    if (co_await call) co_return false;
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty() && waiting_.front().since == next->since && waiting_.front().key == next->key &&
        waiting_.front().lifted == next->lifted)
      waiting_.pop_front();
  }
}

Task<bool> BanService::receive(limit::BanLog& log) {
  for (;;) {
    auto call = log.read(position_);
    auto news = co_await call;
    if (news.has_error()) co_return false;
    const auto now = headgate::now();
    for (const auto& ban : news->bans) table_.apply(ban, now);
    position_ = std::move(news->position);
    if (!news->more) co_return true;
  }
}

void BanService::arm() {
  if (stopped_ || !log_) return;
  timer_.expires_after(kPeriod);
  timer_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (!ec) self->tick();
  });
}

}  // namespace headgate::server
