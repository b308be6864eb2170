#pragma once
// Sends signed JSON texts to one URL, with retries. Used by server to report suspensions and quotas.

#include "headgate/core/clock.hpp"
#include "headgate/net/http_call.hpp"
#include "headgate/notify/outbox.hpp"
#include "headgate/observe/line_gate.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headgate::notify {

/// Options of the webhook, filled in by config.
struct WebhookOptions {
  net::Url url;
  /// The bytes of one or more secrets (see read_secret). Each secret signs, so that the receiver may know the old or
  /// the new one while a secret is being replaced.
  std::vector<std::string> secrets;
  std::string ca;  ///< PEM file of the authorities for https; empty for those of the system.
  Duration timeout = std::chrono::seconds(5);  ///< Time limit of one attempt, from name resolution to the answer.
  unsigned attempts = 8;                       ///< Maximum number of attempts, at least 1.
  bool operator==(const WebhookOptions&) const = default;
};

/// Counts since startup, except `queued`.
struct WebhookCounts {
  std::uint64_t delivered = 0;  ///< Answered with 2xx.
  std::uint64_t failed = 0;     ///< Refused by the receiver, or not delivered by the last attempt.
  std::uint64_t retried = 0;    ///< Attempts after the first one of a webhook.
  std::uint64_t dropped = 0;    ///< Lost because the queue was full or headgate ended.
  std::uint64_t queued = 0;     ///< Currently waiting or being sent.
};

/// A bounded queue of webhooks to one receiver. Webhooks may arrive in any order, and twice; a repeated webhook has the
/// same id. Used only on the loop's thread, except counts().
class Webhook {
 public:
  /// Maximum number of waiting webhooks. If another one is added, the oldest webhook is dropped.
  static constexpr std::size_t kMaxWaiting = 1000;
  static constexpr std::size_t kMaxUnderWay = 4;  ///< Number of webhooks that are sent at the same time.
  static constexpr Duration kLastTime = std::chrono::seconds(2);  ///< Time after stop() for the last attempts.

  /// `loop` and `clock` must outlive this object. Opens no file and no connection yet.
  Webhook(boost::asio::io_context& loop, Clock& clock, WebhookOptions options);
  /// Drops the remaining webhooks, like the end of stop().
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  /// Queues one webhook; never waits. The receiver recognises repeated webhooks by `id`: 1 to 128 visible ASCII
  /// characters without a dot, unique unless the same webhook is sent again. `body` is a complete JSON text. `ended` is
  /// called once with the outcome, possibly during this call, and at the latest by the destructor. `ended` may send
  /// further webhooks.
  void send(std::string id, std::string body, std::function<void(Fate)> ended = {});
  /// Sets the options for attempts that begin from now on, including those of waiting webhooks; for a reload.
  void use(WebhookOptions options);
  /// Makes one last attempt for everything at once, within kLastTime, then drops the rest; the log names each dropped
  /// webhook. Afterwards the loop has no work left for this object. Webhooks that are sent meanwhile are treated the
  /// same way.
  void stop();

  WebhookCounts counts() const noexcept;  ///< Any thread.

 private:
  struct UnderWay {
    PendingWebhook delivery;
    std::shared_ptr<net::HttpCall> call;
  };

  void proceed();
  void attempt(PendingWebhook delivery);
  void answered(std::uint64_t number, const net::HttpResult& result);
  void retry(PendingWebhook delivery, const std::string& reason, const net::HttpResult& result);
  void give_up(const PendingWebhook& delivery, Fate fate, const std::string& reason);
  void drop(const PendingWebhook& delivery, std::string_view reason);
  void drop_all(std::string_view reason);
  void count_queued() noexcept;
  double dice() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  boost::asio::io_context& loop_;
  Clock& clock_;
  WebhookOptions options_;
  std::shared_ptr<net::Trust> trust_;
  Outbox outbox_{kMaxWaiting};
  std::unordered_map<std::uint64_t, UnderWay> under_way_;  // By number.
  std::uint64_t last_number_ = 0;
  std::unique_ptr<Alarm> due_;  // Fires when the next delivery is due.
  std::unique_ptr<Alarm> end_;  // Fires at the end of kLastTime; null if nothing is being stopped.
  Clock::Steady end_at_{};      // The end of kLastTime, once stopping.
  bool stopping_ = false;
  std::minstd_rand random_{std::random_device{}()};
  observe::LineGate retries_told_;
  observe::LineGate failures_told_;
  observe::LineGate drops_told_;

  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> retried_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> queued_{0};
};

}  // namespace headgate::notify
