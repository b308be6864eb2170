#pragma once
// Sends JSON texts to one URL, signed, and tries again for a while. Used by server to
// report suspensions and quotas.

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

/// config fills them.
struct WebhookOptions {
  net::Url url;
  /// The bytes of one or more secrets (see read_secret). Each signs, so that a receiver may know the old or the new one
  /// while a secret is replaced.
  std::vector<std::string> secrets;
  std::string ca;                              ///< PEM file of the authorities for https; empty: those of the system
  Duration timeout = std::chrono::seconds(5);  ///< of one attempt, from the look-up of the name to the answer
  unsigned attempts = 8;                       ///< at least 1
  bool operator==(const WebhookOptions&) const = default;
};

/// Since the start, but for `queued`.
struct WebhookCounts {
  std::uint64_t delivered = 0;  ///< answered with 2xx
  std::uint64_t failed = 0;     ///< given up: refused by the receiver, or not delivered by the last attempt
  std::uint64_t retried = 0;    ///< attempts but the first of each
  std::uint64_t dropped = 0;    ///< lost to a full queue or to the end of headgate
  std::uint64_t queued = 0;     ///< now: waiting or under way
};

/// A bounded queue of webhooks to one receiver. They may arrive in any order, and twice: then with the same id. The
/// loop's thread, but for counts().
class Webhook {
 public:
  static constexpr std::size_t kMaxWaiting = 1000;                ///< beyond it the oldest is dropped
  static constexpr std::size_t kMaxUnderWay = 4;                  ///< sent at the same time
  static constexpr Duration kLastTime = std::chrono::seconds(2);  ///< after stop()

  /// `loop` and `clock` outlive it. Opens no file and no connection yet.
  Webhook(boost::asio::io_context& loop, Clock& clock, WebhookOptions options);
  /// Drops what is left, as the end of stop() does.
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  /// Queues one webhook; never waits. `id` is for the receiver to recognise what it has already: 1 to 128 visible
  /// characters of ASCII but no dot, and not used before, unless it is sent again. `body` is a complete JSON text.
  /// `ended` is told how it ended: once, maybe from within this call, at the latest from the destructor. It may send
  /// more.
  void send(std::string id, std::string body, std::function<void(Fate)> ended = {});
  /// Attempts that begin from now on use these options, also those of webhooks that wait. For a reload.
  void use(WebhookOptions options);
  /// Everything gets one last attempt now, whatever it waits for, as far as kLastTime goes. Then what is left is
  /// dropped; the log names each. After that the loop has nothing left to do for it. What is sent meanwhile is treated
  /// alike.
  void stop();

  WebhookCounts counts() const noexcept;  ///< any thread

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
  std::unordered_map<std::uint64_t, UnderWay> under_way_;  // by number
  std::uint64_t last_number_ = 0;
  std::unique_ptr<Alarm> due_;  // rings when the next delivery is due
  std::unique_ptr<Alarm> end_;  // rings at the end of kLastTime; null while there is nothing to end
  Clock::Steady end_at_{};      // of kLastTime, once stopping
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
