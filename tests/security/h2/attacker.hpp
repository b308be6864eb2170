#pragma once
// Makes an attack: as many connections as it wants, each sending as fast as it is taken, and a new one for each that
// ends.

#include "security/h2/attacks.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test::h2 {

/// Attacks from its making until it is destroyed, on a thread of its own. `attack` outlives it. The figures may be read
/// from any thread.
class Attacker {
 public:
  /// `nice`: by how much others are to be served before it, where there are too few cores; 0: as its maker is.
  Attacker(std::uint16_t port, const Attack& attack, int nice = 0);
  ~Attacker();
  Attacker(const Attacker&) = delete;
  Attacker& operator=(const Attacker&) = delete;

  std::uint64_t sent() const noexcept { return sent_; }  ///< bytes, those of prefaces too
  std::uint64_t connections() const noexcept { return connected_; }
  std::uint64_t ended() const noexcept { return ended_; }  ///< of these, by the server: GOAWAY, an end, or a reset

 private:
  struct Connection;

  void run(int nice);
  bool floods() const noexcept { return !attack_.again.empty() && !attack_.slowly; }
  std::uint32_t heard() const noexcept;
  void connect(std::size_t slot);
  void look_at(std::size_t slot);
  bool receive(Connection& connection);
  bool send(Connection& connection);
  void prepare(Connection& connection);
  void trickle();

  std::uint16_t port_;
  const Attack& attack_;
  int epoll_ = -1;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> connected_ = 0;
  std::atomic<std::uint64_t> ended_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace headgate::test::h2
