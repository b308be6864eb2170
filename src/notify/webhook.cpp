#include "headgate/notify/webhook.hpp"

#include "headgate/http/date.hpp"
#include "headgate/notify/retry.hpp"
#include "headgate/notify/signature.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::notify {
namespace {

using observe::event;
using observe::LogLevel;

// The answer is read only so that the receiver can finish sending it.
constexpr std::uint64_t kMaxAnswer = 64UL * 1024;
constexpr std::size_t kMaxId = 128;

bool is_id(std::string_view id) noexcept {
  const auto usable = [](char c) { return c > ' ' && c < '\x7f' && c != '.'; };
  return !id.empty() && id.size() <= kMaxId && std::all_of(id.begin(), id.end(), usable);
}

std::string reason_of(const net::HttpResult& result) {
  if (result.has_error()) return result.error();
  const auto redirected = result->status / 100 == 3 ? ", and redirects are not followed" : "";
  return "it answered " + std::to_string(result->status) + redirected;
}

void tell_fate(const PendingWebhook& delivery, Fate fate) {
  if (delivery.ended) delivery.ended(fate);
}

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

Webhook::Webhook(boost::asio::io_context& loop, Clock& clock, WebhookOptions options)
    : loop_(loop),
      clock_(clock),
      options_(std::move(options)),
      trust_(std::make_shared<net::Trust>(options_.ca)),
      due_(clock.alarm([](void* self) { static_cast<Webhook*>(self)->proceed(); }, this)) {}

Webhook::~Webhook() { drop_all("headgate is shutting down"); }

void Webhook::send(std::string id, std::string body, std::function<void(Fate)> ended) {
  PendingWebhook delivery{
      .id = std::move(id), .body = std::move(body), .number = ++last_number_, .ended = std::move(ended)};
  if (!is_id(delivery.id)) return drop(delivery, "its id is not valid");
  const auto now = clock_.steady();
  if (stopping_ && now >= end_at_) return drop(delivery, "headgate is shutting down");
  if (const auto oldest = outbox_.add(std::move(delivery), now)) drop(*oldest, "the queue is full");
  proceed();
}

void Webhook::use(WebhookOptions options) {
  if (options.ca != options_.ca) trust_ = std::make_shared<net::Trust>(options.ca);
  options_ = std::move(options);
}

void Webhook::stop() {
  if (std::exchange(stopping_, true)) return;
  end_at_ = clock_.steady() + kLastTime;
  outbox_.hurry();
  due_.reset();  // A pending timer would keep the loop busy.
  proceed();
}

void Webhook::proceed() {
  const auto now = clock_.steady();
  while (under_way_.size() < kMaxUnderWay) {
    auto delivery = outbox_.take(now);
    if (!delivery) break;
    attempt(std::move(*delivery));
  }
  count_queued();
  const bool idle = under_way_.empty() && outbox_.size() == 0;
  if (stopping_) {
    if (idle) return end_.reset();
    if (end_) return;
    end_ = clock_.alarm([](void* self) { static_cast<Webhook*>(self)->drop_all("headgate is shutting down"); }, this);
    return end_->set(std::chrono::duration_cast<Duration>(end_at_ - now));
  }
  // If all places are in use, this function is called again when an attempt ends.
  const auto next = outbox_.next();
  if (next && under_way_.size() < kMaxUnderWay)
    due_->set(std::chrono::ceil<Duration>(std::max(*next - now, Clock::Steady::duration(0))));
}

void Webhook::attempt(PendingWebhook delivery) {
  if (++delivery.attempts > 1) retried_.fetch_add(1, std::memory_order_relaxed);
  const auto timestamp = std::chrono::floor<std::chrono::seconds>(clock_.wall()).time_since_epoch().count();
  net::HttpRequest request{.method = "POST",
                           .url = options_.url,
                           .trust = trust_,
                           .fields = "Content-Type: application/json\r\nwebhook-id: " + delivery.id +
                                     "\r\nwebhook-timestamp: " + std::to_string(timestamp) + "\r\n",
                           .body = delivery.body,
                           .deadline = options_.timeout,
                           .max_body = kMaxAnswer};
  const auto signed_by = signature(options_.secrets, delivery.id, timestamp, delivery.body);
  if (!signed_by.empty()) request.fields += "webhook-signature: " + signed_by + "\r\n";
  const auto number = delivery.number;
  auto call = net::HttpCall::start(loop_, std::move(request),
                                   [this, number](const net::HttpResult& result) { answered(number, result); });
  under_way_.emplace(number, UnderWay{std::move(delivery), std::move(call)});
}

void Webhook::answered(std::uint64_t number, const net::HttpResult& result) {
  auto ended = under_way_.extract(number);
  auto& delivery = ended.mapped().delivery;
  const auto outcome = result.has_value() ? outcome_of(result->status) : WebhookOutcome::retry;
  if (outcome == WebhookOutcome::delivered) {
    delivered_.fetch_add(1, std::memory_order_relaxed);
    tell_fate(delivery, Fate::delivered);
  } else if (outcome == WebhookOutcome::refused) {
    give_up(delivery, Fate::refused, reason_of(result));
  } else if (stopping_) {
    drop(delivery, "headgate is shutting down, and the last attempt failed: " + reason_of(result));
  } else if (delivery.attempts >= options_.attempts) {
    give_up(delivery, Fate::given_up, reason_of(result));
  } else {
    retry(std::move(delivery), reason_of(result), result);
  }
  proceed();
}

void Webhook::retry(PendingWebhook delivery, const std::string& reason, const net::HttpResult& result) {
  const auto now = clock_.steady();
  const auto asked = result.has_value()
                         ? http::read_retry_after(result->field("Retry-After"), clock_.wall(), kLongestPause)
                         : std::nullopt;
  // The receiver asked for the pause, so all other webhooks to it wait as well.
  if (asked) outbox_.hold(now + *asked);
  const auto pause = pause_after(delivery.attempts, dice(), asked);
  if (retries_told_.pass(now))
    event(LogLevel::warning, "webhook_failed", {},
          {{"id", delivery.id},
           {"reason", reason},
           {"attempt", delivery.attempts},
           {"next_in_s", seconds(pause)},
           retries_told_.left_out()});
  if (const auto oldest = outbox_.add(std::move(delivery), now + pause)) drop(*oldest, "the queue is full");
}

void Webhook::give_up(const PendingWebhook& delivery, Fate fate, const std::string& reason) {
  failed_.fetch_add(1, std::memory_order_relaxed);
  if (failures_told_.pass(clock_.steady()))
    event(LogLevel::error, "webhook_failed",
          fate == Fate::refused ? "the receiver rejected the webhook, so it is not sent again"
                                : "the last attempt failed, so it is not sent again",
          {{"id", delivery.id}, {"reason", reason}, {"attempt", delivery.attempts}, failures_told_.left_out()});
  tell_fate(delivery, fate);
}

void Webhook::drop(const PendingWebhook& delivery, std::string_view reason) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  // Few webhooks are dropped while stopping, so the log names each of them.
  if (stopping_ || drops_told_.pass(clock_.steady()))
    event(
        LogLevel::error, "webhook_dropped", {},
        {{"id", is_id(delivery.id) ? std::string_view(delivery.id) : "-"}, {"reason", reason}, drops_told_.left_out()});
  tell_fate(delivery, Fate::dropped);
}

void Webhook::drop_all(std::string_view reason) {
  stopping_ = true;
  outbox_.hurry();
  for (auto& [number, one] : std::exchange(under_way_, {})) {
    one.call->cancel();
    drop(one.delivery, reason);
  }
  while (const auto one = outbox_.take(clock_.steady())) drop(*one, reason);
  end_.reset();
  due_.reset();
  count_queued();
}

void Webhook::count_queued() noexcept { queued_.store(outbox_.size() + under_way_.size(), std::memory_order_relaxed); }

WebhookCounts Webhook::counts() const noexcept {
  constexpr auto order = std::memory_order_relaxed;
  return {delivered_.load(order), failed_.load(order), retried_.load(order), dropped_.load(order), queued_.load(order)};
}

}  // namespace headgate::notify
