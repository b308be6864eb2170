// The limiter against servers that break the protocol, answer late, or are no Redis.
#include "fake_server.hpp"
#include "fixture.hpp"

#include <boost/asio/steady_timer.hpp>

#include <string>

namespace headgate::redis {
namespace {

const std::string kProbed = "*4\r\n:1\r\n:1000000\r\n:0\r\n:0\r\n";
const std::string kAllowed = "*4\r\n:1\r\n:3600000000\r\n:0\r\n:0\r\n";  // a full bucket of the fixture's rule

class HostileServer : public LoopTest {
 protected:
  HostileServer() {
    options.nodes[0].port = server.port();
    options.timeout = 100ms;
  }
  /// Answers every decision with `bytes`.
  void answer_with(std::string bytes) {
    server.on_decision = [bytes](FakeServer::Peer&, const FakeServer::Words&) { return bytes; };
  }
  void behave() {
    server.on_decision = [](FakeServer::Peer&, const FakeServer::Words&) { return kAllowed; };
    server.on_probe = [](FakeServer::Peer&, const FakeServer::Words&) { return kProbed; };
  }
  bool recovers(SharedLimiter& limiter) {
    return decide_until(limiter, [](const Answer& answer) { return answer.allowed(); });
  }

  FakeServer server{loop};
  RedisOptions options;
};

TEST_F(HostileServer, IsBelievedWhenItAnswersAsRedisWould) {
  behave();
  SharedLimiter limiter(loop, options);
  const Answer answer = decide(limiter);
  EXPECT_TRUE(answer.allowed()) << answer.error().message();
  EXPECT_EQ(answer.decision.remaining, 9u);
  limiter.stop();
}

TEST_F(HostileServer, ThatSendsGarbageCostsTheCallAndTheConnectionOnly) {
  for (const char* garbage : {"HTTP/1.1 200 OK\r\n\r\n", "\r\n\r\n", "*2147483647\r\n", "$-7\r\n",
                              "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"
                              "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
                              ">2\r\n+message\r\n+x\r\n%1\r\n"}) {
    answer_with(garbage);
    SharedLimiter limiter(loop, options);
    const Answer answer = decide(limiter);
    EXPECT_TRUE(answer.error() == Errc::unavailable || answer.error() == Errc::bad_reply)
        << garbage << ": " << answer.error().message();
    behave();
    EXPECT_TRUE(recovers(limiter)) << garbage;
    limiter.stop();
  }
}

TEST_F(HostileServer, ThatAnswersWithWellFormedNonsenseFailsThatCallAlone) {
  for (const char* nonsense :
       {"+OK\r\n", ":1\r\n", "$-1\r\n", "*0\r\n", "*1\r\n:1\r\n", "*4\r\n:1\r\n:-5\r\n:0\r\n:0\r\n",
        "*4\r\n:2\r\n:5\r\n:0\r\n:0\r\n", "*4\r\n:1\r\n:3600000000\r\n$1\r\n0\r\n:0\r\n",
        "*5\r\n:1\r\n:3600000000\r\n:0\r\n:0\r\n:0\r\n"}) {
    answer_with(nonsense);
    SharedLimiter limiter(loop, options);
    EXPECT_EQ(decide(limiter).error(), Errc::bad_reply) << nonsense;
    behave();
    EXPECT_TRUE(decide(limiter).allowed()) << nonsense;
    EXPECT_EQ(limiter.counters().connects, 1u);
    limiter.stop();
  }
}

TEST_F(HostileServer, ThatCutsTheConnectionInTheMiddleOfAReplyFailsTheCallAtOnce) {
  server.on_decision = [](FakeServer::Peer& peer, const FakeServer::Words&) {
    peer.write(kAllowed.substr(0, 9));
    peer.close();
    return std::string();
  };
  SharedLimiter limiter(loop, options);
  const Answer answer = decide(limiter);
  EXPECT_EQ(answer.error(), Errc::unavailable);
  EXPECT_LT(answer.took, options.timeout);
  behave();
  EXPECT_TRUE(recovers(limiter));
  limiter.stop();
}

TEST_F(HostileServer, ThatSendsUnrequestedBytesLosesOnlyTheConnection) {
  behave();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  server.peers.back()->write("+OK\r\n");
  ASSERT_TRUE(run_until([&] { return limiter.health() == RedisHealth::down; }));
  EXPECT_TRUE(recovers(limiter));
  EXPECT_EQ(server.connections, 2);
  limiter.stop();
}

TEST_F(HostileServer, ThatSpeaksFirstIsNoRedis) {
  server.greeting = "220 mail.example.com ESMTP\r\n";
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  server.greeting.clear();
  behave();
  EXPECT_TRUE(recovers(limiter));
  limiter.stop();
}

TEST_F(HostileServer, ThatAnswersLateNeverReachesTheCallerThatGaveUp) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  int held_back = 0;
  server.on_decision = [&](FakeServer::Peer&, const FakeServer::Words&) {
    ++held_back;
    return std::string();
  };
  server.on_probe = nullptr;
  EXPECT_EQ(decide(limiter, 1).error(), Errc::timed_out);  // its spans end with its frame
  EXPECT_EQ(decide(limiter, 1).error(), Errc::unavailable);
  ASSERT_TRUE(run_until([&] { return held_back == 2; })) << "the decision and a probe";
  behave();
  server.peers.back()->write(kAllowed + kProbed);
  EXPECT_TRUE(recovers(limiter));
  EXPECT_EQ(server.connections, 1) << "late answers are discarded in order";
  EXPECT_EQ(limiter.counters().timed_out, 1u);
  limiter.stop();
}

TEST_F(HostileServer, ThatAnswersOthersButNotInTimeIsLeftAloneAfterFiveTimeouts) {
  std::list<boost::asio::steady_timer> delays;
  const auto later = [&](const std::string& answer) {
    return [&](FakeServer::Peer& peer, const FakeServer::Words&) {
      auto& delay = delays.emplace_back(loop, delays.size() < 6 ? 160ms : 260ms);
      delay.async_wait([&](error_code ec) {
        if (!ec) peer.write(answer);
      });
      return std::string();
    };
  };
  options.timeout = 200ms;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  server.on_decision = later(kAllowed);
  server.on_probe = later(kProbed);
  std::list<Answer> answers;
  for (int i = 0; i < 60 && limiter.health() == RedisHealth::up; ++i) {
    spawn(check(limiter, rule, "caller", 1, answers.emplace_back()), "test");
    run_for(20ms);  // so that the answer to one comes while the next ones wait
  }
  EXPECT_NE(limiter.health(), RedisHealth::up);
  EXPECT_GE(limiter.counters().timed_out, 5u);
  EXPECT_GE(limiter.counters().decided, 6u) << "those before it became slow";
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  limiter.stop();
}

TEST_F(HostileServer, ThatNeverFinishesTheHandshakeCostsNobodyMoreThanADeadline) {
  boost::asio::ip::tcp::acceptor silent(loop, {boost::asio::ip::address_v4::loopback(), 0});
  options.nodes[0].port = silent.local_endpoint().port();  // the kernel accepts, nobody answers
  SharedLimiter limiter(loop, options);
  const Answer first = decide(limiter);
  EXPECT_EQ(first.error(), Errc::timed_out);
  EXPECT_LT(first.took, options.timeout + 100ms);
  const Answer second = decide(limiter);
  EXPECT_EQ(second.error(), Errc::unavailable);
  EXPECT_LT(second.took, options.timeout);
  limiter.stop();
}

TEST_F(HostileServer, ThatReadsNothingMakesTheLimiterHoldNoMoreThanItsCap) {
  boost::asio::ip::tcp::acceptor silent(loop, {boost::asio::ip::address_v4::loopback(), 0});
  options.nodes[0].port = silent.local_endpoint().port();
  options.max_in_flight = 100;
  SharedLimiter limiter(loop, options);
  const auto answers = ask_many(limiter, 1000);
  int not_sent = 0;
  for (const auto& answer : answers) not_sent += answer.error() == Errc::overloaded;
  EXPECT_EQ(not_sent, 900);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  limiter.stop();
}

TEST_F(HostileServer, ThatFloodsItsReaderIsCutOff) {
  server.on_decision = [](FakeServer::Peer& peer, const FakeServer::Words&) {
    peer.write("$500000000\r\n" + std::string(64 * 1024, 'x'));
    return std::string();
  };
  options.timeout = 2s;
  SharedLimiter limiter(loop, options);
  std::list<Answer> answers = ask_many(limiter, 10);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) {
    EXPECT_EQ(answer.error(), Errc::unavailable);
    EXPECT_LT(answer.took, options.timeout);
  }
  limiter.stop();
}

TEST_F(HostileServer, ThatHoldsWritesBackCostsOneDeadlineEvenWithNewConnections) {
  server.on_probe = nullptr;  // probes are not answered either, but every handshake is
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::timed_out);
  while (server.connections < 4) {
    const Answer answer = decide(limiter);
    EXPECT_EQ(answer.error(), Errc::unavailable) << "at connection " << server.connections;
    EXPECT_LT(answer.took, options.timeout / 2);
    run_for(20ms);
  }
  EXPECT_EQ(limiter.counters().timed_out, 1u);
  behave();
  EXPECT_TRUE(recovers(limiter));
  limiter.stop();
}

TEST_F(HostileServer, ThatRefusedIsProbedWithoutRequests) {
  const auto refuse = [](FakeServer::Peer&, const FakeServer::Words&) { return std::string("-OOM no room\r\n"); };
  server.on_decision = server.on_probe = refuse;
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  ASSERT_TRUE(run_until([&] { return server.probes >= 3; }));
  EXPECT_NE(limiter.health(), RedisHealth::up);
  EXPECT_EQ(limiter.counters().sent, 1u);
  behave();
  ASSERT_TRUE(run_until_up(limiter)) << "no call has come meanwhile";
  const auto answers = ask_many(limiter, 50);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) EXPECT_TRUE(answer.allowed()) << answer.error().message();
  limiter.stop();
}

TEST_F(HostileServer, ThatIsBeingProbedLetsCallsWaitForTheAnswer) {
  const auto refuse = [](FakeServer::Peer&, const FakeServer::Words&) { return std::string("-OOM no room\r\n"); };
  server.on_decision = server.on_probe = refuse;
  options.timeout = 2s;
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  behave();
  FakeServer::Peer* asked = nullptr;
  server.on_probe = [&](FakeServer::Peer& peer, const FakeServer::Words&) {
    asked = &peer;
    return std::string();
  };
  ASSERT_TRUE(run_until([&] { return asked != nullptr; }));
  const auto answers = ask_many(limiter, 20);
  run_for(50ms);
  for (const auto& answer : answers) EXPECT_FALSE(answer.done);
  asked->write(kProbed);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) EXPECT_TRUE(answer.allowed()) << answer.error().message();
  limiter.stop();
}

TEST_F(HostileServer, ThatHangsDuringAProbeCostsOneDeadline) {
  const auto refuse = [](FakeServer::Peer&, const FakeServer::Words&) { return std::string("-OOM no room\r\n"); };
  server.on_decision = server.on_probe = refuse;
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  const int before = server.probes;
  server.on_probe = server.on_decision = [](FakeServer::Peer&, const FakeServer::Words&) { return std::string(); };
  ASSERT_TRUE(run_until([&] { return server.probes > before; }));
  const Answer waited = decide(limiter);
  EXPECT_TRUE(waited.error() == Errc::unavailable || waited.error() == Errc::timed_out) << waited.error().message();
  EXPECT_LT(waited.took, options.timeout + 100ms);
  for (int i = 0; i < 10; ++i) EXPECT_LT(decide(limiter).took, options.timeout / 2);
  limiter.stop();
}

TEST_F(HostileServer, WhoseErrorsAreUnknownFailsThoseCallsAndIsAskedAgain) {
  answer_with("-ERR something \"odd\"\x01 happened\r\n");
  SharedLimiter limiter(loop, options);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  EXPECT_EQ(limiter.health(), RedisHealth::up);
  behave();
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
}

TEST_F(HostileServer, FillsTheLogWithNoMoreThanAFewLines) {
  answer_with("-ERR again\r\n");
  SharedLimiter limiter(loop, options);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  EXPECT_GE(logged(" redis_error"), 6);
  EXPECT_LE(logged(" redis_error"), 10) << log.str();
  server.greeting = "nonsense\r\n";
  server.peers.back()->close();
  ASSERT_TRUE(run_until([&] { return limiter.health() == RedisHealth::down; }));
  EXPECT_EQ(logged(" redis_lost"), 1) << "errors do not crowd out the news of an outage";
  limiter.stop();
}

TEST_F(HostileServer, CannotForgeALineOfTheLog) {
  answer_with("-ERR a\" event=forged \x1b[31m\x7f\r\n");
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  EXPECT_EQ(logged(R"(reason="ERR a\" event=forged \u001b[31m\u007f")"), 1) << log.str();
  limiter.stop();
}

TEST_F(HostileServer, ThatNeverHasTheScriptIsSentItOnceACall) {
  std::vector<std::string> said;
  server.on_decision = [&](FakeServer::Peer&, const FakeServer::Words& words) {
    said.push_back(words[0]);
    return std::string("-NOSCRIPT No matching script. Please use EVAL.\r\n");
  };
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  EXPECT_EQ(said, (std::vector<std::string>{"EVALSHA", "EVAL"}));
  limiter.stop();
}

TEST_F(HostileServer, BacksOffBetweenConnectionsThatNeverHold) {
  server.greeting = "nonsense\r\n";
  SharedLimiter limiter(loop, options);
  run_for(2s);
  EXPECT_GE(server.connections, 4) << "50, 100, 200, 400, 500 ms, less the jitter";
  EXPECT_LE(server.connections, 12);
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
