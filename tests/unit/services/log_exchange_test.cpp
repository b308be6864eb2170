// A gateway's part in a shared log, with a log in memory that several of them share.
#include "headgate/services/log_exchange.hpp"

#include "support/virtual_clock.hpp"

#include "headgate/services/log_refill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;

/// What the logs of all gateways stand for.
struct Stream {
  std::vector<limit::LogEntry> entries;
  std::map<const void*, std::uint64_t> present;
  bool away = false;
  int generation = 0;
  int reads = 0;

  /// Redis was emptied.
  void lose() {
    entries.clear();
    ++generation;
  }
};

class LogInMemory final : public limit::SharedLog {
 public:
  explicit LogInMemory(Stream& stream) : stream_(stream) {}

  Task<Result<std::uint64_t>> append(const limit::LogEntry& entry) override {
    using Appended = Result<std::uint64_t>;
    if (stream_.away)
      co_return Appended(boost::system::in_place_error, make_error_code(boost::system::errc::timed_out));
    stream_.entries.push_back(entry);
    stream_.entries.back().version = stream_.entries.size();
    co_return Appended(boost::system::in_place_value, stream_.entries.size());
  }
  Task<Result<News>> read(std::string_view position) override {
    ++stream_.reads;
    if (stream_.away)
      co_return Result<News>(boost::system::in_place_error, make_error_code(boost::system::errc::timed_out));
    News news;
    const auto of = ' ' + std::to_string(stream_.generation);
    const auto from = position.ends_with(of) ? std::stoul(std::string(position)) : 0;
    news.from_beginning = from == 0;
    if (from < stream_.entries.size()) news.entries.push_back(stream_.entries[from]);
    news.position = std::to_string(from + news.entries.size()) + of;
    news.more = from + news.entries.size() < stream_.entries.size();
    co_return news;
  }
  Task<Result<limit::Acknowledgements>> hear(std::string_view position, std::uint64_t version) override {
    using Told = Result<limit::Acknowledgements>;
    if (stream_.away) co_return Told(boost::system::in_place_error, make_error_code(boost::system::errc::timed_out));
    stream_.present[this] = position.empty() ? 0 : std::stoul(std::string(position));
    limit::Acknowledgements out{.heard = 0, .of = stream_.present.size()};
    for (const auto& [who, at] : stream_.present) out.heard += at >= version ? 1 : 0;
    co_return Told(boost::system::in_place_value, out);
  }
  Task<error_code> leave() override {
    stream_.present.erase(this);
    co_return error_code();
  }
  void stop() override { stopped = true; }

  bool stopped = false;

 private:
  Stream& stream_;
};

limit::LogEntry entry(const std::string& text) { return {.text = text}; }

class LogExchanges : public testing::Test {
 protected:
  struct Gateway {
    std::vector<std::string> heard;
    bool slow = false;  ///< its workers do not come to use what it read
    std::vector<std::function<void()>> waiting;
    std::shared_ptr<LogInMemory> log;
    std::shared_ptr<LogExchange> exchange;
  };
  std::unique_ptr<Gateway> start() {
    auto out = std::make_unique<Gateway>();
    out->exchange = std::make_shared<LogExchange>(
        clock, [gateway = out.get()](const std::vector<limit::LogEntry>& entries, std::function<void()> done) {
          for (const auto& each : entries) gateway->heard.push_back(each.text);
          gateway->slow ? gateway->waiting.push_back(std::move(done)) : done();
        });
    out->log = std::make_shared<LogInMemory>(stream);
    out->exchange->use(out->log);
    EXPECT_TRUE(out->exchange->has_read());
    return out;
  }
  Spread ask(Gateway& of) {
    std::optional<Spread> told;
    of.exchange->when_heard([&](const Spread& spread) { told = spread; });
    for (int i = 0; i < 500 && !told; ++i) clock.advance(10ms);
    EXPECT_TRUE(told) << "it was never told";
    return told.value_or(Spread{});
  }
  void finish(std::vector<Gateway*> all) {
    for (auto* each : all) each->exchange->stop();
    EXPECT_EQ(clock.armed(), 0U) << "alarms are left";
    for (auto* each : all) EXPECT_TRUE(each->log->stopped);
    EXPECT_TRUE(stream.present.empty()) << "who ends says so";
  }

  VirtualClock clock;
  Stream stream;
};

TEST_F(LogExchanges, TellOnceEveryGatewayHasHeard) {
  const auto one = start();
  const auto two = start();
  one->exchange->add(entry("a"));
  one->exchange->add(entry("b"));
  const auto spread = ask(*one);
  EXPECT_TRUE(spread.written);
  ASSERT_TRUE(spread.heard);
  EXPECT_EQ(spread.heard->heard, 2U);
  EXPECT_EQ(spread.heard->of, 2U);
  const std::vector<std::string> both{"a", "b"};
  EXPECT_EQ(two->heard, both);
  EXPECT_EQ(one->heard, both) << "its own come back to it";
  finish({one.get(), two.get()});
}

TEST_F(LogExchanges, DoNotSayThatAGatewayHasHeardBeforeItsWorkersUseIt) {
  const auto one = start();
  const auto two = start();
  two->slow = true;
  one->exchange->add(entry("a"));
  const auto begun = clock.passed();
  auto spread = ask(*one);
  EXPECT_GE(clock.passed() - begun, LogExchange::kHearing);
  ASSERT_TRUE(spread.heard);
  EXPECT_EQ(spread.heard->heard, 1U);
  EXPECT_EQ(spread.heard->of, 2U);
  EXPECT_EQ(two->heard.size(), 1U) << "it has read it";
  for (const auto& done : two->waiting) done();
  spread = ask(*one);
  EXPECT_EQ(spread.heard->heard, 2U);
  finish({one.get(), two.get()});
}

TEST_F(LogExchanges, SayThatNothingIsWrittenWhileTheLogIsAwayAndWriteItLater) {
  const auto one = start();
  const auto two = start();
  stream.away = true;
  one->exchange->add(entry("a"));
  one->exchange->add(entry("b"));
  auto spread = ask(*one);
  EXPECT_FALSE(spread.written);
  EXPECT_FALSE(spread.heard);
  stream.away = false;
  spread = ask(*one);
  EXPECT_TRUE(spread.written);
  EXPECT_EQ(spread.heard->heard, 2U);
  EXPECT_EQ(two->heard, (std::vector<std::string>{"a", "b"})) << "in their order";
  finish({one.get(), two.get()});
}

TEST_F(LogExchanges, AskSeldomWhileNothingChangesAndOftenOnceSomethingDoes) {
  const auto one = start();
  const auto two = start();
  clock.advance(15s);
  stream.reads = 0;
  clock.advance(20s);
  EXPECT_LE(stream.reads, 2 * 11) << "one of each two seconds";
  one->exchange->add(entry("a"));
  clock.advance(LogExchange::kPeriod + 10ms);
  EXPECT_EQ(stream.entries.size(), 1U) << "what changes here is written soon";
  clock.advance(LogExchange::kIdlePeriod);
  EXPECT_EQ(two->heard.size(), 1U) << "and heard elsewhere in bounded time";
  one->exchange->add(entry("b"));
  clock.advance(2 * LogExchange::kPeriod + 10ms);
  EXPECT_EQ(two->heard.size(), 2U) << "the next one soon";
  clock.advance(LogExchange::kAwake + 3s);
  stream.reads = 0;
  clock.advance(20s);
  EXPECT_LE(stream.reads, 2 * 11);
  finish({one.get(), two.get()});
}

TEST_F(LogExchanges, WakeForWhatIsAddedByAnotherThread) {
  const auto one = start();
  clock.advance(20s);
  std::thread worker([&] { one->exchange->add(entry("a")); });
  worker.join();
  clock.advance(LogExchange::kPeriod + 10ms);
  EXPECT_EQ(stream.entries.size(), 1U);
  finish({one.get()});
}

TEST_F(LogExchanges, AskOftenWhileTheLogIsAway) {
  const auto one = start();
  clock.advance(20s);
  stream.away = true;
  clock.advance(20s);
  stream.away = false;
  stream.entries.push_back(entry("a"));
  stream.entries.back().version = 1;
  clock.advance(LogExchange::kPeriod + 10ms);
  EXPECT_EQ(one->heard.size(), 1U);
  finish({one.get()});
}

TEST_F(LogExchanges, TellAtOnceIfThereIsNoLog) {
  const auto one = start();
  one->exchange->use(nullptr);
  EXPECT_FALSE(ask(*one).written);
  finish({one.get()});
}

TEST_F(LogExchanges, GoOnWithAnotherLogFromItsBeginning) {
  const auto one = start();
  one->exchange->add(entry("a"));
  ask(*one);
  Stream other;
  other.entries.push_back(entry("b"));
  auto next = std::make_shared<LogInMemory>(other);
  one->exchange->use(next);
  one->exchange->add(entry("c"));
  ask(*one);
  EXPECT_EQ(one->heard, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(one->log->stopped);
  one->log = next;
  finish({one.get()});
}

/// Gateways that write again what their log has lost.
class LogRefills : public LogExchanges {
 protected:
  struct Keeper {
    std::vector<std::string> knows;
    std::shared_ptr<LogInMemory> log;
    std::shared_ptr<LogExchange> exchange;
    std::unique_ptr<LogRefill> refill;
  };
  std::unique_ptr<Keeper> keep(std::vector<std::string> knows) {
    auto out = std::make_unique<Keeper>();
    out->knows = std::move(knows);
    out->exchange = std::make_shared<LogExchange>(
        clock, [keeper = out.get()](const std::vector<limit::LogEntry>& entries, const std::function<void()>& done) {
          for (const auto& each : entries) {
            keeper->refill->seen(LogRefill::name_of("l", each.text));
            keeper->knows.push_back(each.text);
          }
          done();
        });
    out->refill = std::make_unique<LogRefill>(clock, *out->exchange, [keeper = out.get()] {
      std::vector<LogRefill::Known> all;
      for (const auto& each : keeper->knows) all.push_back({LogRefill::name_of("l", each), entry(each)});
      return all;
    });
    out->log = std::make_shared<LogInMemory>(stream);
    out->exchange->use(out->log);
    EXPECT_TRUE(out->exchange->has_read());
    return out;
  }
  void end(std::vector<Keeper*> all) {
    for (auto* each : all) {
      each->refill->stop();
      each->exchange->stop();
    }
    EXPECT_EQ(clock.armed(), 0U) << "alarms are left";
  }
  std::size_t entries_of(const std::string& text) const {
    return static_cast<std::size_t>(std::count_if(stream.entries.begin(), stream.entries.end(),
                                                  [&](const auto& each) { return each.text == text; }));
  }
};

TEST_F(LogRefills, WriteWhatTheLogHasLostSoThatLaterGatewaysLearnOfIt) {
  const auto one = keep({});
  const auto two = keep({});
  one->exchange->add(entry("a"));
  one->exchange->add(entry("b"));
  clock.advance(1s);
  ASSERT_EQ(two->knows, (std::vector<std::string>{"a", "b"}));
  stream.lose();
  clock.advance(3s);
  for (const std::string each : {"a", "b"}) {
    EXPECT_GE(entries_of(each), 1U) << each;
    EXPECT_LE(entries_of(each), 2U) << each << ": each gateway once at most";
  }
  const auto late = keep({});
  EXPECT_NE(std::find(late->knows.begin(), late->knows.end(), "a"), late->knows.end());
  end({one.get(), two.get(), late.get()});
}

TEST_F(LogRefills, WriteNothingThatTheLogHas) {
  const auto one = keep({});
  one->exchange->add(entry("a"));
  clock.advance(1s);
  const auto two = keep({"a"});
  clock.advance(2s);
  EXPECT_EQ(entries_of("a"), 1U);
  end({one.get(), two.get()});
}

}  // namespace
}  // namespace headgate::services
