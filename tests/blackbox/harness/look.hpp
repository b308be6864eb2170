#pragma once
// Reads the admin interface of a gateway over HTTP.

#include "blackbox/harness/gateway.hpp"
#include "support/metrics_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <thread>

namespace headgate::test {

/// The port of the admin interface from the gateway's output; 0 if it has none.
inline std::uint16_t admin_port(Process& process) {
  static const std::regex line(R"re(admin interface is at http://127\.0\.0\.1:(\d+)[\s"])re");
  std::smatch match;
  std::string text;
  const bool said = process.wait_for_err([&](const std::string& err) {
    text = err;
    return std::regex_search(text, match, line);
  });
  EXPECT_TRUE(said) << text;
  return said ? static_cast<std::uint16_t>(std::stoul(match[1].str())) : std::uint16_t{0};
}

/// Reads the admin interface once, on a connection of its own.
class Look {
 public:
  explicit Look(Process& process) : port_(admin_port(process)) {}

  Message get(const std::string& path, const std::string& fields = "") const {
    return RawClient(port_).ask("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\n");
  }
  std::string text() const {
    const auto answer = get("/metrics");
    EXPECT_EQ(answer.status(), 200) << answer.head;
    return answer.body;
  }
  MetricsText metrics() const {
    auto out = MetricsReader::read(text());
    EXPECT_TRUE(out.complaints.empty()) << out.complaints.front();
    return out;
  }
  /// Reads the metrics again and again until `holds` is true for them, or kPatience has passed.
  template <class Holds>
  bool comes_to(Holds&& holds) const {
    return until([&] { return holds(metrics()); });
  }
  bool status_comes_to(const std::string& path, int status) const {
    return until([&] { return get(path).status() == status; });
  }

 private:
  template <class Holds>
  static bool until(Holds&& holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    do {
      if (holds()) return true;
      std::this_thread::sleep_for(Milliseconds(20));
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
  std::uint16_t port_;
};

}  // namespace headgate::test
