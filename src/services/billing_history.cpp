// Reads the billed use of one key from the ledger, which has one bucket to read for each day and limit.

#include "headgate/services/billing_service.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace headgate::services {
namespace {

Refusal refused_history(unsigned status, std::string why) { return {status, std::move(why)}; }

}  // namespace

limit::Day BillingService::kept_from(Instant now) const {
  const auto& billing = *config_->billing;
  auto day = billing.days->date_of(now);
  while (billing.days->day(day - std::chrono::days(1)).end + billing.kept > now) day -= std::chrono::days(1);
  return day;
}

/// Parses the call.
std::optional<Refusal> BillingService::refuse(HistoryCall& call, HistoryQuestion& question) const {
  if (!config_->billing || !ledger_) return refused_history(404, "No limit here has \"bill\".");
  const auto now = clock_.wall();
  const auto today = config_->billing->days->date_of(now);
  const auto first = kept_from(now);
  const auto from = call.from.empty() ? std::optional(first) : limit::parse_day(call.from);
  const auto to = call.to.empty() ? std::optional(today) : limit::parse_day(call.to);
  if (!from || !to) return refused_history(400, "\"from\" and \"to\" are days, written as in 2026-11-22.");
  if (*from > today) return refused_history(404, "This day has not begun yet.");
  if (!call.from.empty() && *from > *to) return refused_history(400, "\"from\" is later than \"to\".");
  for (auto& counter : call.counters) counter.unit = unit_of(*config_, counter.limit);
  // Only the days that are still kept and have begun are read.
  question = {.counters = std::move(call.counters), .from = std::max(*from, first), .to = std::min(*to, today)};
  if (question.from > question.to)
    return refused_history(404, "These days are no longer kept. GET /api/v1/usage lists those that are.");
  const auto days = static_cast<std::size_t>((question.to - question.from).count()) + 1;
  if (days * question.counters.size() > HistoryQuestion::kMaxReads)
    return refused_history(400, "These are too many days of too many limits at once: ask for one \"limit\".");
  return std::nullopt;
}

void BillingService::ask_history(HistoryCall call, Tell tell) {
  const std::lock_guard lock(mutex_);
  if (told_closed_) return;
  calls_.post([this, call = std::move(call), tell = std::move(tell)]() mutable {
    if (stopping_) return;
    HistoryQuestion question;
    if (auto refused = refuse(call, question)) return tell({boost::system::in_place_error, std::move(*refused)});
    enqueue({{}, UsageHistory(std::move(question)), tell});
  });
}

Task<void> BillingService::read_history(std::shared_ptr<BillingService> self, std::shared_ptr<limit::Ledger> ledger,
                                        PendingQuestion asked) {
  bool failed = false;
  std::set<limit::Day> incomplete;
  while (!failed) {
    const auto wanted = asked.history->next();
    if (!wanted || !self->config_->billing) break;
    // Completeness is checked before the read, because use that Redis accepts during the read may be missing from the
    // answer.
    if (!self->is_complete(wanted->day, self->clock_.wall())) incomplete.insert(wanted->day);
    auto call = ledger->read(wanted->day, wanted->bucket, 0);
    const auto buckets = co_await call;
    failed = buckets.has_error();
    if (!failed) asked.history->take(*buckets);
  }
  self->reading_ = false;
  if (failed || !self->config_->billing) {
    asked.tell({boost::system::in_place_error, refused_history(503, "Redis does not answer. Try again later.")});
  } else {
    const auto now = self->clock_.wall();
    const auto is_complete = [&](limit::Day day) { return !incomplete.contains(day); };
    asked.tell(asked.history->text(
        {.zone = self->config_->billing->days->zone(), .kept_from = self->kept_from(now), .is_complete = is_complete}));
  }
  self->read_next();
}

}  // namespace headgate::services
