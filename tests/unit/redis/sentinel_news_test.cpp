// Sentinels announce another master: the limiter follows the message without a query.
#include "fake_server.hpp"
#include "fixture.hpp"

namespace headgate::redis {
namespace {

const std::string kGranted = "*4\r\n:1\r\n:3600000000\r\n:0\r\n:0\r\n";  // a full bucket of the fixture's rule
const std::string kSubscribed = "*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n";

std::string text_of(const std::string& word) { return "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n"; }
std::string message(const std::string& words) {
  return "*3\r\n" + text_of("message") + text_of("+switch-master") + text_of(words);
}

/// A Sentinel that names one master and counts the queries.
class FakeSentinel {
 public:
  FakeSentinel(boost::asio::io_context& loop, std::uint16_t master) : server(loop), master_(master) {
    server.on_decision = [this](FakeServer::Peer& peer, const FakeServer::Words& words) {
      if (words[0] == "SUBSCRIBE") listener = &peer;
      if (words[0] == "SUBSCRIBE") return kSubscribed;
      ++asked;
      return "*2\r\n" + text_of("127.0.0.1") + text_of(std::to_string(master_));
    };
  }

  FakeServer server;
  FakeServer::Peer* listener = nullptr;
  int asked = 0;

 private:
  std::uint16_t master_;
};

class SentinelNews : public LoopTest {
 protected:
  SentinelNews() {
    for (auto* server : {&before, &after})
      server->on_decision = [](FakeServer::Peer&, const FakeServer::Words&) { return kGranted; };
    options.topology = Topology::sentinel;
    options.master = "shop";
    options.timeout = 500ms;
    options.nodes = {{"127.0.0.1", behind.server.port()}, {"127.0.0.1", ahead.server.port()}};
  }
  static std::string name(const FakeServer& server) { return "127.0.0.1:" + std::to_string(server.port()); }

  FakeServer before{loop};
  FakeServer after{loop};
  FakeSentinel behind{loop, before.port()};
  FakeSentinel ahead{loop, after.port()};
  RedisOptions options;
};

TEST_F(SentinelNews, IsFollowedFromAnySentinel) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until([&] { return limiter.health() == RedisHealth::up && ahead.listener != nullptr; })) << log.str();
  EXPECT_EQ(limiter.nodes()[0].name, name(before));
  EXPECT_EQ(ahead.asked, 0);
  ahead.listener->write(message("shop 127.0.0.1 1 127.0.0.1 2"));
  ASSERT_TRUE(run_until([&] { return limiter.nodes()[0].name == name(after); })) << log.str();
  EXPECT_TRUE(run_until_up(limiter));
  run_for(1200ms);
  EXPECT_EQ(limiter.nodes()[0].name, name(after)) << "who is behind is not asked any more";
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
  keeps_running.reset();
  loop.run_for(200ms);
}

TEST_F(SentinelNews, AboutAnotherMasterIsIgnored) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until([&] { return limiter.health() == RedisHealth::up && ahead.listener != nullptr; })) << log.str();
  ahead.listener->write(message("shopping 127.0.0.1 1 127.0.0.1 2") + message("shop") + "*0\r\n:7\r\n");
  run_for(200ms);
  EXPECT_EQ(ahead.asked, 0);
  EXPECT_EQ(limiter.nodes()[0].name, name(before));
  limiter.stop();
}

TEST_F(SentinelNews, IsReceivedAgainAfterALostConnection) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until([&] { return ahead.listener != nullptr; }));
  ahead.listener->close();
  ahead.listener = nullptr;
  ahead.server.peers.back()->close();
  ASSERT_TRUE(run_until([&] { return ahead.listener != nullptr; }));
  limiter.stop();
}

TEST_F(SentinelNews, ChangesNothingIfTheSubscriptionIsForbidden) {
  ahead.server.on_decision = [](FakeServer::Peer&, const FakeServer::Words&) {
    return std::string("-NOPERM this user has no permissions to run the 'subscribe' command\r\n");
  };
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(run_until([&] { return logged(" redis_switches_untold") == 1; })) << log.str();
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
