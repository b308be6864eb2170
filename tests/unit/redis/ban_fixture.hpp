#pragma once
// What the tests of the log of suspensions share: suspensions, and gateways that append and read.

#include "fixture.hpp"

#include "headgate/core/time.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/redis/shared_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::redis {

/// The log of suspensions; what ended stays for a day if nothing else is said.
class BanLog : public limit::SharedLog {
 public:
  BanLog(boost::asio::io_context& loop, const RedisOptions& options, Duration kept = 24h)
      : log_(loop, options, kBans, kept) {}

  static constexpr std::size_t kPage = redis::RedisSharedLog::kPage;
  static constexpr std::size_t kMaxEntries = redis::RedisSharedLog::kMaxEntries;
  static constexpr Duration kLongest = redis::RedisSharedLog::kLongest;

  Task<Result<std::uint64_t>> append(const limit::LogEntry& entry) override { return log_.append(entry); }
  Task<Result<News>> read(std::string_view position) override { return log_.read(position); }
  Task<Result<limit::Acknowledgements>> hear(std::string_view position, std::uint64_t version) override {
    return log_.hear(position, version);
  }
  Task<error_code> leave() override { return log_.leave(); }
  RedisHealth health() const { return log_.health(); }
  std::uint64_t unreadable() const { return log_.unreadable(); }
  void stop() override { log_.stop(); }

 private:
  redis::RedisSharedLog log_;
};

/// What a read found.
struct News {
  std::vector<limit::Ban> bans;
  std::string position;
  bool more = false;
};

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
  error_code append(BanLog& bans, const limit::Ban& ban) {
    const auto entry = limit::entry_of(ban);
    const auto version = wait(bans.append(entry));
    return version.has_value() ? error_code() : version.error();
  }
  Result<News> read(BanLog& bans, const std::string& position) {
    auto got = wait(bans.read(position));
    if (got.has_error()) return Result<News>(boost::system::in_place_error, got.error());
    News news{.bans = {}, .position = got->position, .more = got->more};
    for (const auto& entry : got->entries) news.bans.push_back(limit::read_ban(entry).value());
    return news;
  }

  /// Reads what is new, page after page. `position` moves on.
  std::vector<std::string> poll(BanLog& bans, std::string& position) {
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
  bool append_at_last(BanLog& bans, const limit::Ban& ban, Clock::duration limit = 20s) {
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
