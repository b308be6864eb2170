#pragma once
// A polite client of HTTP/2 beside an attack: asks at a steady rate on one connection, and notes how long it waits.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test::h2 {

/// What it has seen.
struct Waits {
  std::vector<std::chrono::nanoseconds> answered;  ///< from the moment that it was to ask, sorted
  std::uint64_t lost = 0;                          ///< no answer in its patience, another than 200, or no connection
  std::chrono::nanoseconds patience{};

  /// The wait that so much of all requests did not exceed: 0.99. Lost ones took all the patience.
  std::chrono::nanoseconds at(double share) const;
};

/// Asks GET / from its making until stop(), on a thread of its own.
class Bystander {
 public:
  Bystander(std::uint16_t port, unsigned a_second, std::chrono::seconds patience = std::chrono::seconds(2));
  ~Bystander();
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  /// How many answers it has.
  std::size_t answers() const noexcept { return answers_; }
  /// Waits for what was asked.
  Waits stop();

 private:
  void run();
  bool connect();
  bool ask();
  /// Reads until the answer of the last request has ended. False: that does not happen before `end`.
  bool answered(std::chrono::steady_clock::time_point end);
  void disconnect();

  std::uint16_t port_;
  std::chrono::nanoseconds every_;
  std::chrono::seconds patience_;
  int fd_ = -1;
  std::uint32_t stream_ = 0;
  std::string in_;
  Waits waits_;
  std::atomic<std::size_t> answers_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace headgate::test::h2
