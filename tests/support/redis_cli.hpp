#pragma once
// Runs redis-cli for tests.

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

namespace headgate::test {

/// Runs redis-cli with these words, which the shell splits, and returns its output without the last line feed.
inline std::string redis_cli(const std::string& words) {
  std::string out;
  FILE* pipe = ::popen(("redis-cli " + words + " 2>&1").c_str(), "re");
  if (pipe == nullptr) return out;
  std::array<char, 4096> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) out.append(piece.data(), got);
  ::pclose(pipe);
  while (out.ends_with('\n')) out.pop_back();
  return out;
}
inline std::string redis_cli(std::uint16_t port, const std::string& words) {
  return redis_cli("-p " + std::to_string(port) + " " + words);
}

/// Waits until the condition is true. Returns false if that takes too long. Use it only for what other processes do.
template <class Condition>
bool wait_until(Condition holds, std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace headgate::test
