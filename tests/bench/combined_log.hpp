#pragma once
// A log in the format combined, to measure with.

#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

namespace headgate::bench {

/// Writes `lines` requests, five hundred in a second, each of one of 100,000 addresses by chance.
inline void write_combined_log(const std::string& path, std::uint64_t lines) {
  constexpr std::string_view kAgents[] = {
      "curl/7.88.1",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 "
      "Mobile/15E148 Safari/604.1"};
  constexpr unsigned kAddresses = 100'000;
  constexpr std::uint64_t kInASecond = 500;
  std::ofstream out(path, std::ios::binary);
  std::minstd_rand random(1);
  const auto two = [](std::uint64_t number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  for (std::uint64_t i = 0; i < lines; ++i) {
    const auto address = random() % kAddresses;
    const auto second = i / kInASecond % 86'400;
    out << "10." << address / 65'536 << '.' << address / 256 % 256 << '.' << address % 256
        << " - - [24/Nov/2026:" << two(second / 3600) << ':' << two(second / 60 % 60) << ':' << two(second % 60)
        << " +0000] \"GET /v1/orders/" << random() % 1'000'000 << "?page=" << random() % 50 << " HTTP/1.1\" 200 "
        << random() % 90'000 << " \"https://www.example.com/orders\" \"" << kAgents[random() % 3] << "\"\n";
  }
}

}  // namespace headgate::bench
