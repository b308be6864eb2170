#pragma once
// Billed use, as the report has it and as a test has counted it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::test {

/// (limit, owner) to (used, requests).
using Bill = std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::uint64_t>>;

inline std::string today() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(now);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), unsigned(date.month()),
                unsigned(date.day()));
  return text;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

inline Bill bill_of(const std::string& report) {
  Bill out;
  for (const auto& line : lines_of(report)) {
    const auto record = Json::parse(line);
    auto& sum = out[{record.at("limit"), record.value("owner", record.at("key").get<std::string>())}];
    EXPECT_EQ(sum.first, 0u) << "twice: " << line;
    sum = {record.at("used"), record.at("requests")};
  }
  return out;
}

/// The whole report of today; a page has some records only.
inline std::string report_of(const Operator& operators, const std::string& day = today(), int count = 3) {
  std::string out;
  std::string after;
  for (;;) {
    const auto target = "/api/v1/usage/" + day + "?count=" + std::to_string(count) + after;
    auto page = operators.ask("GET", target);
    // On a busy machine Redis may not have answered in time.
    for (int again = 0; page.status() == 503 && again < 20; ++again) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      page = operators.ask("GET", target);
    }
    EXPECT_EQ(page.status(), 200) << page.body;
    EXPECT_EQ(page.value("Content-Type"), "application/x-ndjson");
    if (page.body.empty() || page.status() != 200) return out;
    out += page.body;
    after = "&after=" + Json::parse(lines_of(page.body).back()).at("cursor").get<std::string>();
  }
}

/// False if it was not so in time.
template <class Holds>
bool comes_true(Holds&& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(Milliseconds(50));
  }
  return true;
}

class WithLedger : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start({"--appendonly", "yes", "--appendfsync", "always"})) << redis.error();
  }
  Json block() const {
    return {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "100ms"}, {"instances", 2}};
  }
  /// As if what is in the ledger had been used on another day.
  void move_to(const std::string& day) const {
    const std::string script =
        "local n = 0 for _, key in ipairs(redis.call('KEYS', '*{usage:*')) do redis.call('RENAME', key, "
        "(key:gsub('usage:%d+-%d+-%d+', 'usage:" +
        day + "'))) n = n + 1 end return n";
    ASSERT_NE(redis_cli(redis.port(), "EVAL \"" + script + "\" 0"), "0");
  }
  RedisServer redis;
};

}  // namespace headgate::test
