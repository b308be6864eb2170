#include "headgate/services/billing_service.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/core/text.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headgate::services {
namespace {

using BillingJson = nlohmann::ordered_json;

constexpr Duration kHandOver = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::milliseconds(100);
constexpr std::size_t kMaxAsked = 16;

BillingService::Answer no(unsigned status, std::string sentence) {
  return {boost::system::in_place_error, Refusal{status, std::move(sentence)}};
}

std::vector<std::string> billed_names(const config::Config& config) {
  std::vector<std::string> out;
  for (const auto& limit : config.limits)
    if (limit.bill) out.push_back(limit.name);
  return out;
}

constexpr const char* kNothingBilled = "No limit here has \"bill\".";

}  // namespace

BillingService::BillingService(Clock& clock, OpenLedger open)
    : clock_(clock),
      calls_(clock),
      open_(std::move(open)),
      alarm_(clock.alarm(
          [](void* self) {
            auto& service = *static_cast<BillingService*>(self);
            service.armed_ = false;
            if (!service.closed_) service.tick();
          },
          this)) {}

void BillingService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  auto config = active->config;
  const bool other_redis = !config_ || config_->redis != config->redis;
  config_ = std::move(config);
  // Even if this configuration has no billing, the ledger stays open: use that was counted under the previous
  // configuration is still added.
  if (stopping_ || !config_->billing) return;
  {
    const std::lock_guard lock(mutex_);
    any_ = true;
  }
  if (!ledger_ || other_redis) {
    if (ledger_) ledger_->stop();
    ledger_ = open_(*config_);
  }
  if (!armed_) arm(kHandOver);
}

void BillingService::add(limit::UseSheet::Content taken) {
  if (taken.days.empty() && taken.lost == limit::Use()) return;
  const std::lock_guard lock(mutex_);
  inbox_.push_back(std::move(taken));
}

std::optional<BillingCounts> BillingService::counts() const {
  const std::lock_guard lock(mutex_);
  return any_ ? std::optional(counts_) : std::nullopt;
}

void BillingService::arm(Duration time) {
  armed_ = true;
  alarm_->set(time);
}

void BillingService::tick() {
  if (stopping_) {
    send();
    if (queue_.empty() || clock_.steady() >= give_up_at_) return close();
    return arm(kLastRetry);
  }
  send();  // sends what is there; the use that workers hand over now is sent when it has arrived
  collect();
  arm(kHandOver);
}

/// Collects the sheets of all workers. Each worker hands over its own sheet in a task on its own thread, so no worker
/// waits for another.
void BillingService::collect() {
  if (!take_) return;
  take_([self = shared_from_this()](limit::UseSheet::Content taken) { self->add(std::move(taken)); },
        [self = shared_from_this()] {
          self->calls_.post([to = self.get()] {
            if (!to->stopping_) to->send();
          });
        });
}

void BillingService::take_in() {
  std::deque<limit::UseSheet::Content> inbox;
  {
    const std::lock_guard lock(mutex_);
    inbox.swap(inbox_);
  }
  limit::Use without_place;
  for (auto& taken : inbox) without_place += queue_.add(std::move(taken));
  lost(without_place, Why::too_many_keys);
}

void BillingService::send() {
  take_in();
  note();
  if (!ledger_) return;
  for (unsigned lane = 0; lane < limit::kLanes; ++lane) {
    if (sending_.test(lane) || queue_.next(lane) == nullptr) continue;
    sending_.set(lane);
    spawn(send_lane(shared_from_this(), ledger_, lane), "ledger");
  }
}

/// Sends the batches of a lane to the ledger, until the lane is empty or Redis does not answer. After an error, the
/// next turn sends the same batch again.
Task<void> BillingService::send_lane(std::shared_ptr<BillingService> self, std::shared_ptr<limit::Ledger> ledger,
                                     unsigned lane) {
  while (self->ledger_ == ledger) {
    const auto* const batch = self->queue_.next(lane);
    if (batch == nullptr) break;
    auto call = ledger->add(*batch, self->kept_from_now(batch->day));
    const auto added = co_await call;
    if (added.has_error()) break;
    self->queue_.acknowledge(lane);
    self->lost(*added, Why::day_full);
  }
  self->sending_.reset(lane);
  self->note();
  if (!self->stopping_ || self->closed_ || !self->queue_.empty() || self->sending_.any()) co_return;
  self->close();
}

void BillingService::lost(const limit::Use& use, Why why) {
  if (use == limit::Use()) return;
  {
    const std::lock_guard lock(mutex_);
    counts_.lost += use;
  }
  if (why != Why::ended && !gate_.pass(clock_.steady())) return;
  const std::string_view reason = why == Why::too_many_keys ? "too many keys are waiting to be written to Redis"
                                  : why == Why::day_full ? "Redis already holds the largest number of keys for this day"
                                                         : "the gateway ended before Redis had stored it";
  observe::event(observe::LogLevel::error, "billed_use_lost", "use that should be billed is missing in all reports",
                 {{"reason", reason}, {"used", use.used}, {"requests", use.requests}, gate_.left_out()});
}

void BillingService::note() {
  const auto now = clock_.steady();
  if (queue_.empty())
    waits_since_.reset();
  else if (!waits_since_)
    waits_since_ = now;
  const std::lock_guard lock(mutex_);
  counts_.waiting = queue_.keys();
  counts_.behind = waits_since_ ? std::chrono::duration_cast<Duration>(now - *waits_since_) : Duration(0);
}

void BillingService::stop() {
  if (std::exchange(stopping_, true)) return;
  take_ = nullptr;
  asked_.clear();
  {
    const std::lock_guard lock(mutex_);
    told_closed_ = true;
  }
  give_up_at_ = clock_.steady() + kLastAttempt;
  take_in();
  if (!ledger_ || queue_.empty()) return close();
  send();
  if (!closed_) arm(kLastRetry);
}

void BillingService::close() {
  closed_ = true;
  alarm_.reset();
  lost(queue_.waiting(), Why::ended);
  if (ledger_) std::exchange(ledger_, nullptr)->stop();
}

Duration BillingService::kept_from_now(limit::Day day) const {
  const auto& billing = config_->billing;
  if (!billing) return config::Billing().kept;
  return billing->days->day(day).end + billing->kept - clock_.wall();
}

bool BillingService::is_complete(limit::Day day, Instant now) const {
  return config_->billing->days->day(day).end + kSettles <= now && !queue_.waits_for(day);
}

BillingService::Answer BillingService::days() const {
  if (!config_->billing) return text_of({{"limits", BillingJson::array()}, {"days", BillingJson::array()}});
  const auto& billing = *config_->billing;
  const auto now = clock_.wall();
  const auto today = billing.days->date_of(now);
  BillingJson rows = BillingJson::array();
  for (auto day = today; billing.days->day(day).end + billing.kept > now; day -= std::chrono::days(1)) {
    const auto window = billing.days->day(day);
    if (window.start == window.end) continue;  // The time zone skipped this date.
    rows.push_back({{"day", day_text(day)},
                    {"from", moment_text(window.start)},
                    {"until", moment_text(window.end)},
                    {"complete", is_complete(day, now)},
                    {"complete_from", moment_text(window.end + kSettles)}});
  }
  return text_of({{"time_zone", billing.days->zone()}, {"limits", billed_names(*config_)}, {"days", std::move(rows)}});
}

/// Parses the call.
std::optional<Refusal> BillingService::refuse(const Call& call, UsageQuestion& question) const {
  if (!config_->billing || !ledger_) return Refusal{404, kNothingBilled};
  const auto& billing = *config_->billing;
  const auto day = limit::parse_day(call.day);
  if (!day) return Refusal{400, "A day is written as in 2026-11-22."};
  const auto now = clock_.wall();
  const auto window = billing.days->day(*day);
  if (window.start > now) return Refusal{404, "This day has not begun yet."};
  if (window.end + billing.kept <= now || *day < limit::Day() || window.start == window.end)
    return Refusal{404, "This day is no longer kept. GET /api/v1/usage lists those that are."};
  const auto names = billed_names(*config_);
  if (!call.limit.empty() && std::find(names.begin(), names.end(), call.limit) == names.end())
    return Refusal{404, "No limit with \"bill\" has this name. Those that have: " + joined(names, ", ") + "."};
  question = {.day = *day, .limit = call.limit, .after = {}, .count = call.count};
  if (call.cursor.empty()) return std::nullopt;
  auto after = read_cursor(question, call.cursor);
  if (!after) return Refusal{400, "\"after\" is not a cursor of this report. Use the \"cursor\" of its previous page."};
  question.after = std::move(*after);
  return std::nullopt;
}

void BillingService::ask_days(Tell tell) {
  const std::lock_guard lock(mutex_);
  if (told_closed_) return;
  calls_.post([this, tell = std::move(tell)] { tell(days()); });
}

void BillingService::ask(Call call, Tell tell) {
  const std::lock_guard lock(mutex_);
  if (told_closed_) return;
  calls_.post([this, call = std::move(call), tell = std::move(tell)] {
    if (stopping_) return;
    UsageQuestion question;
    if (auto refused = refuse(call, question)) return tell({boost::system::in_place_error, std::move(*refused)});
    enqueue({std::move(question), std::nullopt, tell});
  });
}

void BillingService::enqueue(PendingQuestion asked) {
  if (asked_.size() >= kMaxAsked) return asked.tell(no(503, "Too many reports are being read. Try again later."));
  asked_.push_back(std::move(asked));
  read_next();
}

/// Begins to read the next page that somebody has asked for. Only one page is read at a time, so that memory is
/// bounded.
void BillingService::read_next() {
  if (reading_ || asked_.empty() || !ledger_) return;
  reading_ = true;
  auto asked = std::move(asked_.front());
  asked_.pop_front();
  const bool history = asked.history.has_value();
  spawn(history ? read_history(shared_from_this(), ledger_, std::move(asked))
                : read(shared_from_this(), ledger_, std::move(asked)),
        "usage report");
}

Task<void> BillingService::read(std::shared_ptr<BillingService> self, std::shared_ptr<limit::Ledger> ledger,
                                PendingQuestion asked) {
  UsagePage page(std::move(asked.question));
  bool failed = !self->config_->billing;
  // Completeness is checked before the read: use that Redis accepts during the read may be missing from the pages that
  // were read first.
  const bool complete = !failed && self->is_complete(page.question().day, self->clock_.wall());
  while (!page.done() && !failed) {
    auto call = ledger->read(page.question().day, page.bucket(), page.lacks());
    auto buckets = co_await call;
    failed = buckets.has_error();
    if (!failed) page.take(std::move(*buckets));
  }
  self->reading_ = false;
  if (failed || !self->config_->billing)
    asked.tell(no(503, "Redis does not answer. Try again later."));
  else
    asked.tell(page.lines(*self->config_, complete));
  self->read_next();
}

}  // namespace headgate::services
