#pragma once
// Threads that check passwords, away from the loops of the workers: bcrypt takes milliseconds on purpose.

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

/// One password that is checked.
struct PasswordCheck : shed::Waiter {
  identity::SecretText password;
  std::string hash;
  std::shared_ptr<PasswordInbox> to;  ///< where it goes when it is done
  /// Set by the pool before it is delivered; nothing: it had to make room for others, and was not checked.
  std::optional<bool> right;
  std::shared_ptr<PasswordCheck> self;  ///< while the pool has it
};

/// What was checked for one worker: filled by the pool, emptied by the worker.
class PasswordInbox {
 public:
  /// Worker thread; `ring(owner)` is called on its loop when something has come.
  PasswordInbox(Clock& clock, Alarm::Ring ring, void* owner) : bell_(clock.bell(ring, owner)) {}

  /// Any thread.
  void put(std::shared_ptr<PasswordCheck> done);
  /// Worker thread.
  std::vector<std::shared_ptr<PasswordCheck>> take();
  /// Nothing is called any more. Worker thread, or when its loop runs no more.
  void close();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<PasswordCheck>> done_;
  std::unique_ptr<Bell> bell_;  // null: closed
};

/// A bounded queue that is fair to those who ask, and a few threads of low priority, which begin when the first
/// password comes. One for all workers; any thread.
class PasswordPool {
 public:
  /// How many wait at most. If more come, the longest line of one caller gets shorter (shed::FairQueue).
  static constexpr std::size_t kMaxWaiting = 256;

  /// `threads`: how many; 0: half of what the machine has, at least one and at most four. The clock outlives it.
  explicit PasswordPool(const Clock& clock, unsigned threads = 0);
  /// Waits for the checks under way, a second each at most; those that wait are forgotten.
  ~PasswordPool();
  PasswordPool(const PasswordPool&) = delete;
  PasswordPool& operator=(const PasswordPool&) = delete;

  /// It is delivered later; false: it is not taken.
  bool ask(const std::shared_ptr<PasswordCheck>& check);
  /// Nobody wants to know any more. False: it is under way, or done.
  bool drop(PasswordCheck& check) noexcept;
  /// How long a newcomer would wait now, by what the last checks took.
  Duration wait() const;

  struct Counts {
    std::size_t waiting = 0;
    std::uint64_t checked = 0;  ///< since the start
    Duration took{0};           ///< all of them together
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
  Duration usual_{0};  ///< of the last ones
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headgate::gateway
