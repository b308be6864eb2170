#pragma once
// What the tests of the log of suspensions share: suspensions, and gateways that append and read.

#include "fixture.hpp"

#include "headgate/core/time.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/redis/ban_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::redis {

using News = limit::BanLog::News;

inline limit::Ban ban_of(std::string key, Duration rest = 1h) {
  limit::Ban ban;
  ban.limit = "login";
  ban.key = std::move(key);
  ban.since = headgate::now() - 5s;
  ban.until = headgate::now() + rest;
  return ban;
}

inline std::vector<std::string> keys_of(const News& news) {
  std::vector<std::string> keys;
  for (const auto& ban : news.bans) keys.push_back(ban.key);
  return keys;
}

template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await task);
}

/// `Base` is a LoopTest.
template <class Base>
class WithBanLogs : public Base {
 protected:
  template <class T>
  T wait(Task<T> task) {
    std::optional<T> result;
    spawn(keep_result(std::move(task), result), "test");
    EXPECT_TRUE(this->run_until([&] { return result.has_value(); })) << "a call never ended";
    return std::move(*result);
  }
  error_code append(limit::BanLog& bans, const limit::Ban& ban) { return wait(bans.append(ban)); }
  Result<News> read(limit::BanLog& bans, const std::string& position) { return wait(bans.read(position)); }

  /// Reads what is new, page after page. `position` moves on.
  std::vector<std::string> poll(limit::BanLog& bans, std::string& position) {
    std::vector<std::string> keys;
    for (bool more = true; more;) {
      const auto news = read(bans, position);
      EXPECT_TRUE(news.has_value()) << news.error().message() << "\n" << this->log.str();
      if (!news) return {"failed"};
      for (const auto& ban : news->bans) keys.push_back(ban.key);
      position = news->position;
      more = news->more;
    }
    return keys;
  }
  /// Tries until the log has it: for what heals by itself.
  bool append_at_last(limit::BanLog& bans, const limit::Ban& ban, Clock::duration limit = 20s) {
    const auto end = Clock::now() + limit;
    while (append(bans, ban)) {
      if (Clock::now() >= end) return false;
      this->run_for(20ms);
    }
    return true;
  }
  void expect_empty_loop() {
    this->keeps_running.reset();
    this->loop.run_for(2s);
    EXPECT_TRUE(this->loop.stopped()) << "handlers are left";
  }
};

}  // namespace headgate::redis
