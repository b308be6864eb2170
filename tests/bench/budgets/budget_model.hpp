#pragma once
// A fake server of a language model, for measurements: each connection has a thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::bench {

/// Bytes of an event of a stream, which has one word of the answer.
inline constexpr std::size_t kEventBytes = 256;

/// Answers each request at once: with one JSON document, or with a stream if the request has `"stream":true`,
/// which is sent in one piece unless the request has `"paced":true`.
class BudgetModel {
 public:
  /// Streams have this many events, and paced ones a pause between two of them. Listens on a free port of 127.0.0.1.
  /// Throws std::system_error if it cannot.
  BudgetModel(unsigned events, std::chrono::milliseconds pause);
  ~BudgetModel();
  BudgetModel(const BudgetModel&) = delete;
  BudgetModel& operator=(const BudgetModel&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  /// Number of events that paced streams have sent so far.
  std::uint64_t events_sent() const noexcept { return events_sent_; }

 private:
  void accept_all();
  void serve(int fd);
  bool stream(int fd, bool paced);

  const unsigned events_;
  const std::chrono::milliseconds pause_;
  std::atomic<std::uint64_t> events_sent_ = 0;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;              // guarded by mutex_
  std::vector<std::thread> threads_;   // guarded by mutex_
  std::atomic<bool> stopped_ = false;  // before the sockets are shut down
  std::thread accepting_;
};

}  // namespace headgate::bench
