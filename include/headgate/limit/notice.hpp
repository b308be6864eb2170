#pragma once
// Notices: what says that a key has reached a percentage of its quota. The path leaves them in an inbox; what tells
// them (server) agrees with the other gateways by marks.

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

/// A key has reached a percentage of one rate in one period. Limit, rate, key, `since` and percent name it.
struct Notice {
  std::string limit;
  std::string rate;   ///< its text: "100000/month"
  std::string key;    ///< as in Check; any bytes, at most 256
  std::string owner;  ///< of the API key; empty if none is known
  std::string tier;   ///< empty if the limit has none
  unsigned percent = 0;
  std::uint64_t used = 0;
  std::uint64_t size = 0;
  Instant since{};  ///< the period
  Instant until{};
  bool rejected = false;  ///< the request did not fit
  bool observed = false;  ///< its limit only observes
  Store store = Store::memory;
};

/// Between the workers and the main thread. Bounded: what does not fit is counted and left out; the next request of the
/// key leaves its notice again. Any thread.
class NoticeInbox {
 public:
  static constexpr std::size_t kBound = 1024;

  explicit NoticeInbox(std::size_t bound = kBound) : bound_(bound) {}

  /// `wake` is called after each notice, on the thread that left it. Null: nobody is.
  void use(std::function<void()> wake);
  /// False if it was left out.
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

/// Marks in Redis, by which one of several gateways tells a notice. One thread.
class NoticeMarks {
 public:
  enum class Answer : std::uint8_t {
    ours,    ///< this process tells it
    others,  ///< another one does at the moment
    told     ///< one has
  };

  virtual ~NoticeMarks() = default;
  /// Marks the notice `id` for this process, unless it has a mark. The mark ends after `length`, if nothing follows. An
  /// error means that there may or may not be a mark.
  virtual Task<Result<Answer>> take(std::string id, Duration length) = 0;
  /// Replaces its mark by one of this process that ends after `length`.
  virtual Task<error_code> hold(std::string id, Duration length) = 0;
  /// Replaces its mark by one that says that it was told, for `length`.
  virtual Task<error_code> told(std::string id, Duration length) = 0;
  /// Ends its connections; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
