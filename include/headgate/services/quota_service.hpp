#pragma once
// Reports keys that have reached a percentage of their quota. The gateways that share Redis report each of these keys
// only once in total.

#include "headgate/config/config.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/notice.hpp"
#include "headgate/notify/outbox.hpp"
#include "headgate/observe/line_gate.hpp"
#include "headgate/services/service.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace headgate::services {

/// Returns the store of marks for a configuration; null if the configuration needs none.
using OpenMarks = std::function<std::shared_ptr<limit::NoticeMarks>(const config::Config& config)>;
/// Sends a webhook, like WebhookService::send.
using SendWebhook = std::function<bool(std::string id, std::string body, std::function<void(notify::Fate)> ended)>;

/// Counts of notices for the metrics.
struct NoticeCounts {
  /// Number of notices, by limit and percentage.
  std::map<std::pair<std::string, unsigned>, std::uint64_t> told;
  std::uint64_t dropped = 0;
};

/// The notices of this process. One per process; main thread, except where a function allows any thread.
///
/// A notice of a limit in Redis is sent by the gateway that marks it there first. The mark lasts for kHold and is
/// renewed until the webhook is delivered. Then the mark is extended to the end of the period. If that gateway dies,
/// the key's next request beyond the percentage lets another gateway send the notice, with the same id.
class QuotaService final : public Service, public std::enable_shared_from_this<QuotaService> {
 public:
  /// Maximum number of notices under way, half of the webhook's queue. Further notices are dropped.
  static constexpr std::size_t kMaxUnderWay = 500;
  /// Maximum number of remembered notices that were sent, or that another gateway sends.
  static constexpr std::size_t kRemembered = 65'536;
  static constexpr Duration kHold = std::chrono::seconds(15);  ///< Lifetime of a mark.
  static constexpr Duration kRenew = std::chrono::seconds(5);  ///< Interval at which a mark is renewed.
  /// Pause after the last attempt, until the next notice.
  static constexpr Duration kRest = std::chrono::minutes(10);
  static constexpr Duration kLastWait = std::chrono::seconds(4);  ///< Time for webhooks and marks after stop().

  /// `clock` must outlive this object.
  QuotaService(Clock& clock, OpenMarks open, SendWebhook send);

  limit::NoticeInbox& inbox() noexcept { return inbox_; }  ///< Any thread.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  NoticeCounts counts() const;  ///< Any thread.
  /// Sends the notices in the inbox now, without asking other gateways. No notice may be added after the call.
  void stop() override;

 private:
  struct Id {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const Id&) const = default;
    bool operator<(const Id& other) const noexcept { return high != other.high ? high < other.high : low < other.low; }
  };
  struct ById {
    std::size_t operator()(const Id& id) const noexcept { return static_cast<std::size_t>(id.low); }
  };
  struct UnderWay {
    std::string text;  ///< The id as text.
    limit::Notice notice;
    bool marked = false;
  };
  static Id read(const std::string& text);

  void take_all();
  void consider(limit::Notice notice);
  static Task<void> agree(std::shared_ptr<QuotaService> self, std::shared_ptr<limit::NoticeMarks> marks, Id id);
  static Task<void> hold(std::shared_ptr<QuotaService> self, std::shared_ptr<limit::NoticeMarks> marks,
                         std::string text, Duration length);
  static Task<void> mark_told(std::shared_ptr<QuotaService> self, std::shared_ptr<limit::NoticeMarks> marks,
                              std::string text, Instant until);
  void tell(Id id);
  void ended(Id id, notify::Fate fate);
  void drop();
  void remember(Id id, Instant until);
  void forget_old(Instant now);
  void tick();
  void arm();
  void end_if_done();

  Clock& clock_;
  const OpenMarks open_;
  const SendWebhook send_;
  std::unique_ptr<Alarm> alarm_;
  std::unique_ptr<Bell> bell_;
  std::shared_ptr<const config::Config> config_;
  std::shared_ptr<limit::NoticeMarks> marks_;
  std::map<Id, UnderWay> under_way_;
  /// Notices that need no further action, each with the time until which the same notice is ignored.
  boost::unordered_flat_map<Id, Instant, ById> known_;
  std::deque<Id> order_;  ///< Ids of known_, oldest first.
  /// Notices that were sent but are not marked in Redis yet: the id, and the time until which to mark it.
  std::map<std::string, Instant> unmarked_;
  std::size_t calls_ = 0;  ///< Calls for marks in progress.
  bool armed_ = false;
  bool stopped_ = false;
  observe::LineGate drops_told_;
  limit::NoticeInbox inbox_;
  std::uint64_t inbox_dropped_ = 0;  ///< Number of dropped notices that were logged.

  mutable std::mutex mutex_;
  NoticeCounts counts_;
};

}  // namespace headgate::services
