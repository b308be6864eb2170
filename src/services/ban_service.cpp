#include "headgate/services/ban_service.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/services/ban_json.hpp"
#include "headgate/services/written_key.hpp"

#include <utility>
#include <vector>

namespace headgate::services {
namespace {

constexpr auto kLookAtDropped = std::chrono::seconds(1);
constexpr auto kTellDropped = std::chrono::minutes(1);
constexpr auto kLookForEnded = std::chrono::seconds(5);

/// Returns the names of the limits whose suspensions are shared.
std::set<std::string> shared_names(const config::Config& config) {
  std::set<std::string> out;
  for (const auto& limit : config.limits)
    if (limit.store == limit::Store::redis) out.insert(limit.name);
  return out;
}

}  // namespace

BanService::BanService(Clock& clock, OpenLog open, std::shared_ptr<WebhookService> webhooks)
    : clock_(clock),
      calls_(clock),
      open_(std::move(open)),
      webhooks_(std::move(webhooks)),
      log_(std::make_shared<LogExchange>(
          clock,
          [this](const std::vector<limit::LogEntry>& entries, const std::function<void()>& done) {
            apply(entries);
            done();
          })),
      refill_(clock, *log_, [this] { return known(); }),
      alarm_(clock.alarm([](void* self) { static_cast<BanService*>(self)->look_for_ended(); }, this)),
      table_([this](const limit::Ban& ban) { changed(ban); }) {}

std::shared_ptr<const config::Config> BanService::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

void BanService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  auto config = active->config;
  auto shared = shared_names(*config);
  const bool other_redis = !config_ || config_->redis != config->redis;
  const bool nothing_shared = shared.empty();
  {
    const std::lock_guard lock(mutex_);
    shared_ = std::move(shared);
    config_.swap(config);
  }
  if (stopped_) return;
  if (nothing_shared) {
    if (log_->has_log()) log_->use(nullptr);
  } else if (other_redis || !log_->has_log()) {
    log_->use(open_(*config_));
  }
}

bool BanService::shares(const std::string& limit) const {
  const std::lock_guard lock(mutex_);
  return shared_.contains(limit);
}

void BanService::stop() {
  stopped_ = true;
  alarm_.reset();
  refill_.stop();
  log_->stop();
}

/// Removes suspensions by operators that have ended. When none is left, routes whose limits never suspend stop checking
/// for suspensions.
void BanService::look_for_ended() {
  if (stopped_) return;
  table_.end_operated(clock_.wall());
  alarm_->set(kLookForEnded);
}

void BanService::apply(const std::vector<limit::LogEntry>& entries) {
  const auto now = clock_.wall();
  for (const auto& entry : entries) {
    const auto ban = limit::read_ban(entry);
    if (!ban) continue;
    refill_.seen(LogRefill::name_of(ban->limit, ban->key));
    table_.apply(*ban, now);
  }
  tell_dropped();
}

/// Returns the entries that the log should have: all suspensions under limits in Redis.
std::vector<LogRefill::Known> BanService::known() const {
  std::vector<LogRefill::Known> out;
  for (const auto& ban : table_.list(clock_.wall()))
    if (shares(ban.limit)) out.push_back({LogRefill::name_of(ban.limit, ban.key), limit::entry_of(ban)});
  return out;
}

/// Logs, once a minute at most, the limits for whose suspensions the table had no room.
void BanService::tell_dropped() {
  const auto now = clock_.steady();
  std::map<std::string, std::uint64_t> more;
  {
    const std::lock_guard lock(mutex_);
    if (now < look_at_dropped_) return;
    const auto dropped = table_.dropped();
    for (const auto& [limit, count] : dropped)
      if (const auto before = std::exchange(told_dropped_[limit], count); before < count) more[limit] = count - before;
    look_at_dropped_ = now + (more.empty() ? kLookAtDropped : kTellDropped);
  }
  for (const auto& [limit, count] : more)
    observe::event(
        observe::LogLevel::warning, "suspensions_dropped",
        "a limit has suspended more keys than it has room for, so the suspensions that end first were ended early",
        {{"limit", limit}, {"dropped", count}});
}

void BanService::changed(const limit::Ban& ban) {
  if (webhooks_->on() && !ban.lifted) {
    calls_.post([this, ban] {
      const auto& config = *config_;
      auto told = ban;
      told.key = written_key(config, ban.limit, ban.key);
      webhooks_->send(webhook_id(), webhook_body(told, config.instance));
    });
  }
  tell_dropped();
  const std::lock_guard lock(mutex_);
  if (!shared_.contains(ban.limit)) return;
  log_->add(limit::entry_of(ban));
  calls_.post([this, name = LogRefill::name_of(ban.limit, ban.key)] { refill_.seen(name); });
}

}  // namespace headgate::services
