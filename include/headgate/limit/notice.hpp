#pragma once
// Notices: a key has reached a percentage of its quota. The request path puts them into an inbox; services takes them
// out, and uses marks to agree with the other gateways on the sender of each notice. Used by gateway, services and
// redis.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/limit.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace headgate::limit {

/// A notice that a key has reached a percentage of one rate in one period. Limit, rate, key, `since` and percent
/// identify it.
struct Notice {
  std::string limit;
  std::string rate;   ///< text of the rate: "100000/month"
  std::string key;    ///< key as in Check; any bytes, at most 256
  std::string owner;  ///< owner of the API key; empty if unknown
  std::string tier;   ///< name of the tier; empty if the limit has no tiers
  Unit unit = Unit::request;
  unsigned percent = 0;
  std::uint64_t used = 0;
  std::uint64_t size = 0;
  Instant since{};  ///< start and end of the period
  Instant until{};
  bool rejected = false;  ///< true if the request did not fit into the quota
  bool observed = false;  ///< true if the limit only observes
  Store store = Store::memory;
};

/// The queue between the workers and the main thread. Bounded: notices that do not fit are counted and dropped; the
/// next request of the key creates the notice again. Any thread.
class NoticeInbox {
 public:
  static constexpr std::size_t kBound = 1024;

  explicit NoticeInbox(std::size_t bound = kBound) : bound_(bound) {}

  /// Sets the function that is called after each notice, on the thread that added the notice; null for none.
  void use(std::function<void()> wake);
  /// Adds a notice. Returns false if it was dropped.
  bool put(Notice notice);
  std::vector<Notice> take();
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  const std::size_t bound_;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::vector<Notice> waiting_;
  std::atomic<std::uint64_t> dropped_{0};
};

/// Marks in Redis, by which several gateways agree on the one that sends a notice. One thread.
class NoticeMarks {
 public:
  enum class Answer : std::uint8_t {
    ours,    ///< this process sends it
    others,  ///< another gateway is sending it
    told     ///< the notice was sent
  };

  virtual ~NoticeMarks() = default;
  /// Marks the notice `id` for this process, unless the notice has a mark already. The mark ends after `length`, unless
  /// hold() or told() follows. After an error, there may or may not be a mark.
  virtual Task<Result<Answer>> take(std::string id, Duration length) = 0;
  /// Replaces the mark by one of this process that ends after `length`.
  virtual Task<error_code> hold(std::string id, Duration length) = 0;
  /// Replaces the mark by one which says for `length` that the notice was sent.
  virtual Task<error_code> told(std::string id, Duration length) = 0;
  /// Closes the connections of this object; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
