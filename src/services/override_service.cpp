#include "headgate/services/override_service.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"

#include <algorithm>

namespace headgate::services {
namespace {

using observe::EventField;
using observe::LogLevel;

/// Expiry is checked again after this time at the latest, because somebody may set the clock.
constexpr auto kLongestSleep = std::chrono::seconds(10);

/// Reports an event about one override. Its key is shown as in the access log.
void tell_of(std::string_view name, std::string_view sentence, const limit::Override& one,
             std::string_view reason = {}) {
  const auto key = observe::key_id(one.key);
  const auto rate = limit::rates_text(one);
  observe::event(LogLevel::warning, name, sentence,
                 {{"limit", one.limit},
                  {"key_id", key},
                  {"rate", rate},
                  one.why.empty() ? EventField() : EventField("why", one.why),
                  reason.empty() ? EventField() : EventField("reason", reason)});
}

}  // namespace

OverrideService::OverrideService(Clock& clock, OpenLog open)
    : clock_(clock),
      open_(std::move(open)),
      log_(std::make_shared<LogExchange>(clock,
                                         [this](const std::vector<limit::LogEntry>& entries,
                                                std::function<void()> done) { apply(entries, std::move(done)); })),
      refill_(clock, *log_, [this] { return known(); }),
      alarm_(clock.alarm([](void* self) { static_cast<OverrideService*>(self)->end_when_due(); }, this)) {}

void OverrideService::serve(Compile compile, Use use) {
  compile_ = std::move(compile);
  use_ = std::move(use);
}

void OverrideService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  const auto& config = active->config;
  const bool other_redis = !config_ || config_->redis != config->redis;
  config_ = config;
  shared_.clear();
  for (const auto& limit : config->limits)
    if (limit.store == limit::Store::redis) shared_.insert(limit.name);
  in_force(active->overrides.get());
  if (stopped_) return;
  if (shared_.empty()) {
    if (log_->has_log()) log_->use(nullptr);
  } else if (other_redis || !log_->has_log()) {
    log_->use(open_(*config_));
  }
}

void OverrideService::in_force(const gateway::OverrideTable* table) {
  const auto before = std::exchange(without_effect_, {});
  if (table == nullptr || table->all_have_effect()) return;
  for (const auto& one : book_.list(clock_.wall())) {
    const auto why = table->why_not(one.limit, one.key);
    if (why.empty()) continue;
    if (!before.contains({one.limit, one.key}))
      tell_of("override_without_effect", "an operator's override has no effect in the active configuration", one, why);
    without_effect_.emplace(one.limit, one.key);
  }
}

void OverrideService::put(limit::Override wanted, Tell tell) {
  const auto at = clock_.wall();
  book_.forget_ended(at);
  auto all = book_.list(at);
  std::erase_if(all, [&](const auto& each) { return each.limit == wanted.limit && each.key == wanted.key; });
  all.push_back(wanted);
  const auto table = compile_(all);
  if (const auto why = table->why_not(wanted.limit, wanted.key); !why.empty())
    return tell(Result<Done, Refusal>(boost::system::in_place_error,
                                      Refusal{422, "This override is not possible: " + std::string(why) + "."}));
  const auto put = book_.put(wanted, at);
  if (put == limit::OverrideBook::Put::full)
    return tell(Result<Done, Refusal>(
        boost::system::in_place_error,
        Refusal{409, "There are " + std::to_string(limit::OverrideBook::kMax) +
                         " overrides already, and no more are accepted. End one, or wait until one ends."}));
  tell_of("override_begun", "an operator overrode a limit for a key", wanted);
  changed(wanted, put == limit::OverrideBook::Put::replaced, std::move(tell));
}

void OverrideService::lift(const std::string& limit, const std::string& key, Tell tell) {
  const auto lifted = book_.lift(limit, key, clock_.wall());
  if (!lifted)
    return tell(Result<Done, Refusal>(boost::system::in_place_error,
                                      Refusal{404, "This key has no override under this limit."}));
  tell_of("override_ended", "an operator ended the override", *lifted);
  changed(*lifted, false, std::move(tell));
}

/// Sends the change to the log and to the workers. The caller gets its answer when the workers use the change and, if
/// it is shared, when it is known how many gateways use it.
void OverrideService::changed(const limit::Override& change, bool replaced, Tell tell) {
  const bool shared = shared_.contains(change.limit);
  if (shared) {
    log_->add(limit::entry_of(change));
    refill_.seen(LogRefill::name_of(change.limit, change.key));
    log_->hurry();
  }
  Done done{.override = change, .replaced = replaced, .shared = shared};
  refresh([self = shared_from_this(), done = std::move(done), tell = std::move(tell)]() mutable {
    if (!done.shared) return tell(std::move(done));
    self->log_->when_heard([done = std::move(done), tell = std::move(tell)](const Spread& spread) mutable {
      done.spread = spread;
      tell(std::move(done));
    });
  });
}

std::size_t OverrideService::restore(const std::vector<limit::Override>& before) {
  std::size_t out = 0;
  for (const auto& one : before) out += book_.apply(one, clock_.wall()) ? 1 : 0;
  if (out > 0) refresh([] {});
  return out;
}

void OverrideService::refresh(std::function<void()> done) {
  arm();
  if (!use_) return done();
  use_(book_.list(clock_.wall()), std::move(done));
}

void OverrideService::apply(const std::vector<limit::LogEntry>& entries, std::function<void()> done) {
  const auto at = clock_.wall();
  bool any = false;
  for (const auto& entry : entries) {
    const auto one = limit::read_override(entry);
    if (!one) continue;
    refill_.seen(LogRefill::name_of(one->limit, one->key));
    const auto before = book_.find(one->limit, one->key, at);
    if (!book_.apply(*one, at)) continue;
    any = true;
    const bool same = before && before->rates == one->rates && before->burst == one->burst && before->why == one->why;
    if (one->lifted)
      tell_of("override_ended", "an operator ended the override at another gateway", *one);
    else if (!same)
      tell_of("override_begun", "an operator overrode a limit for a key at another gateway", *one);
  }
  if (!any) return done();
  refresh(std::move(done));
}

/// Returns the entries that the log should have: all overrides in force under limits in Redis.
std::vector<LogRefill::Known> OverrideService::known() const {
  std::vector<LogRefill::Known> out;
  for (const auto& one : book_.list(clock_.wall()))
    if (shared_.contains(one.limit)) out.push_back({LogRefill::name_of(one.limit, one.key), limit::entry_of(one)});
  return out;
}

void OverrideService::end_when_due() {
  const auto ended = book_.forget_ended(clock_.wall());
  for (const auto& one : ended) tell_of("override_ended", "the time of the override is over", one);
  if (ended.empty()) return arm();
  refresh([] {});
}

void OverrideService::arm() {
  const auto next = book_.next_end();
  if (stopped_ || !next) return;
  const auto left = std::clamp<Duration>(*next - clock_.wall(), Duration(0), kLongestSleep);
  alarm_->set(left + std::chrono::milliseconds(1));
}

void OverrideService::stop() {
  stopped_ = true;
  alarm_.reset();
  refill_.stop();
  log_->stop();
  compile_ = nullptr;
  use_ = nullptr;
}

}  // namespace headgate::services
