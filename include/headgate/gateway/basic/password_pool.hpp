#pragma once
// Threads that check passwords outside of the workers' loops, because bcrypt takes milliseconds by design.

#include "headgate/core/clock.hpp"
#include "headgate/core/hash.hpp"
#include "headgate/identity/secret_text.hpp"
#include "headgate/shed/fair_queue.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headgate::gateway {

class PasswordInbox;

/// One password to check.
struct PasswordCheck : shed::Waiter {
  identity::SecretText password;
  std::string hash;
  std::shared_ptr<PasswordInbox> to;  ///< the inbox that gets the result
  /// The result, set before delivery. Not set if the pool dropped the check to make room for others.
  std::optional<bool> right;
  std::shared_ptr<PasswordCheck> self;  ///< reference that keeps the object alive while the pool has it
};

/// The results for one worker. The pool fills the inbox, and the worker empties it.
class PasswordInbox {
 public:
  /// Call the constructor on the worker's thread. `ring(owner)` is called on the worker's loop when a result has
  /// arrived.
  PasswordInbox(Clock& clock, Alarm::Ring ring, void* owner) : bell_(clock.bell(ring, owner)) {}

  /// Adds a result. Any thread.
  void put(std::shared_ptr<PasswordCheck> done);
  /// Returns the results and empties the inbox. Worker thread.
  std::vector<std::shared_ptr<PasswordCheck>> take();
  /// Stops the calls of `ring`. Worker thread, or after its loop has ended.
  void close();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<PasswordCheck>> done_;
  std::unique_ptr<Bell> bell_;  // bell that calls `ring`; null after close()
};

/// A bounded queue that is fair between callers, and a few threads of low priority, which start when the first password
/// arrives. One pool serves all workers. Any thread.
class PasswordPool {
 public:
  /// The largest number of waiting checks. If more arrive, the caller with the longest line loses its last check
  /// (shed::FairQueue).
  static constexpr std::size_t kMaxWaiting = 256;

  /// `threads` is the number of threads; 0 for half of the machine's processors, at least one and at most four. The
  /// clock outlives the pool.
  explicit PasswordPool(const Clock& clock, unsigned threads = 0);
  /// Drops the waiting checks, and waits for the checks under way, each of which takes at most a second.
  ~PasswordPool();
  PasswordPool(const PasswordPool&) = delete;
  PasswordPool& operator=(const PasswordPool&) = delete;

  /// Queues a check, whose result is delivered later. Returns false if the check is not accepted.
  bool ask(const std::shared_ptr<PasswordCheck>& check);
  /// Withdraws a check. Returns false if the check is under way or done.
  bool drop(PasswordCheck& check) noexcept;
  /// Returns how long a new check would have to wait now, estimated from the duration of recent checks.
  Duration wait() const;

  struct Counts {
    std::size_t waiting = 0;
    std::uint64_t checked = 0;  ///< number of checks since the start
    Duration took{0};           ///< time of all checks together
  };
  Counts counts() const;

 private:
  void begin_another();
  void run();

  const Clock& clock_;
  const unsigned max_threads_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  shed::FairQueue waiting_{kMaxWaiting};
  std::size_t under_way_ = 0;
  std::uint64_t checked_ = 0;
  Duration took_{0};
  Duration usual_{0};  ///< moving average of the duration of a check
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headgate::gateway
