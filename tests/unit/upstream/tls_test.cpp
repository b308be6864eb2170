// TLS to servers: pooled connections work as plain ones do, sessions are resumed, and nothing untrusted is used.

#include "unit/upstream/tls_servers.hpp"

#include <boost/asio/steady_timer.hpp>

namespace headgate::upstream::test {
namespace {

using observe::ServerHandshake;
using TlsUpstream = TlsServers;

TEST_F(TlsUpstream, CarriesOneExchangeAfterAnother) {
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_NE(attempt, nullptr);
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  EXPECT_EQ(head_.status, 200U);
  give_back(std::move(attempt));
  const auto kept = upstream_->take_idle(choice_);
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(exchange_tls(*kept, tls_far()).has_value());
}

TEST_F(TlsUpstream, KeepsAnIdleConnectionToWhichTicketsCome) {
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  give_back(std::move(attempt));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(meanwhile([&] { return tls_far().send_ticket(); }));
    look_around();
  }
  ASSERT_TRUE(meanwhile([&] { return tls_far().change_key(); }));
  auto kept = upstream_->take_idle(choice_);
  ASSERT_NE(kept, nullptr) << "a ticket is no answer";
  ASSERT_TRUE(exchange_tls(*kept, tls_far()).has_value());
  give_back(std::move(kept));
  ASSERT_TRUE(tls_far().say("x"));
  look_around();
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr) << "but any byte is one that nobody asked for";
}

TEST_F(TlsUpstream, ClosesAnIdleConnectionWhoseServerSendsTicketsWithoutEnd) {
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  give_back(std::move(attempt));
  for (int i = 0; i < 20; ++i) {
    if (!meanwhile([&] { return tls_far().send_ticket(); })) break;
    loop_.restart();
    loop_.run_for(milliseconds(5));
  }
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(TlsUpstream, LetsTicketsNotPutOffTheIdleTimeout) {
  options_.idle_timeout = milliseconds(100);
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  give_back(std::move(attempt));
  for (int i = 0; i < 5; ++i) {
    (void)meanwhile([&] { return tls_far().send_ticket(); });
    loop_.restart();
    loop_.run_for(milliseconds(60));
  }
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
  EXPECT_TRUE(meanwhile([&] { return tls_far().hears_end(); }));
}

TEST_F(TlsUpstream, LosesWhatIsInFlightAndWhatConnectsWhenItsServerIsTakenDown) {
  begin_tls();
  const auto attempt = connect_tls();
  ASSERT_TRUE(send(*attempt).has_value());
  upstream_->servers()[0].out = balance::kDown;
  boost::asio::steady_timer soon(loop_, milliseconds(20));
  soon.async_wait([&](const auto&) { upstream_->take_down("s0"); });
  const auto head = run(attempt->read_head(head_, seconds(10)));
  ASSERT_TRUE(head.has_error());
  EXPECT_STREQ(head.error().why, kTakenDown);
  upstream_->servers()[0].out = 0;  // and as if it had been chosen just before
  const auto begun = std::chrono::steady_clock::now();
  soon.expires_after(milliseconds(50));
  soon.async_wait([&](const auto&) {
    upstream_->servers()[0].out = balance::kDown;
    upstream_->take_down("s0");
  });
  const auto connected = run(upstream_->connect(choice_));  // nobody answers its handshake
  ASSERT_TRUE(connected.has_error());
  EXPECT_STREQ(connected.error().why, kTakenDown);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(2));
}

TEST_F(TlsUpstream, TakesNoConnectionThatItsServerClosed) {
  begin_tls();
  for (const bool properly : {true, false}) {
    auto attempt = connect_tls();
    ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
    give_back(std::move(attempt));
    if (properly)
      tls_far().send_close_notify();
    else
      tls_far().close_without_notify();
    EXPECT_EQ(upstream_->take_idle(choice_), nullptr) << properly;
  }
}

TEST_F(TlsUpstream, ReportsAPooledConnectionThatClosedBeforeTheFirstByte) {
  begin_tls();
  for (const bool properly : {true, false}) {
    auto attempt = connect_tls();
    ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
    give_back(std::move(attempt));
    const auto kept = upstream_->take_idle(choice_);
    ASSERT_NE(kept, nullptr);
    ASSERT_TRUE(send(*kept).has_value());
    if (properly)
      tls_far().send_close_notify();
    else
      tls_far().close_without_notify();
    const auto head = run(kept->read_head(head_, seconds(10)));
    ASSERT_TRUE(head.has_error());
    EXPECT_EQ(head.error().what, Failed::closed);
    EXPECT_EQ(head.error().cause, error::eof);
    EXPECT_TRUE(head.error().reused) << "it may be sent once more";
  }
}

TEST_F(TlsUpstream, TellsACutAnswerFromAWholeOne) {
  begin_tls();
  for (const bool properly : {true, false}) {
    const auto attempt = connect_tls();
    ASSERT_TRUE(send(*attempt).has_value());
    ASSERT_TRUE(tls_far().say("HTTP/1.1 200 OK\r\n\r\nhalf of"));
    ASSERT_TRUE(run(attempt->read_head(head_, seconds(10))).has_value());
    if (properly)
      tls_far().send_close_notify();
    else
      tls_far().close_without_notify();
    auto part = run(attempt->body().read());
    ASSERT_TRUE(part.has_value());
    EXPECT_EQ(*part, "half of");
    part = run(attempt->body().read());
    EXPECT_EQ(part.has_value(), properly) << "only the server can say so sealed";
    if (!properly) {
      EXPECT_EQ(part.error(), error::connection_aborted);
    }
  }
}

TEST_F(TlsUpstream, ResumesTheLastSession) {
  begin_tls();
  for (int i = 0; i < 4; ++i) {
    auto attempt = connect_tls();
    ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
    EXPECT_EQ(tls_far().resumed(), i > 0) << i;
    attempt.reset();
    EXPECT_TRUE(meanwhile([&] { return tls_far().hears_end(); }));
  }
  EXPECT_EQ(counted(ServerHandshake::full), 1U);
  EXPECT_EQ(counted(ServerHandshake::resumed), 3U);
}

TEST_F(TlsUpstream, ResumesAfterAConnectionThatWasBrokenOff) {
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  tls_far().close_without_notify();
  attempt.reset();
  attempt = connect_tls();
  EXPECT_TRUE(tls_far().resumed());
}

TEST_F(TlsUpstream, SharesNoSessionWithAnotherUpstream) {
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  attempt.reset();
  begin_anew();
  attempt = connect_tls();
  EXPECT_FALSE(tls_far().resumed()) << "what one has verified another has not";
}

TEST_F(TlsUpstream, RefusesACertificateThatIsNotTrusted) {
  begin_tls();
  use_certificate("other");
  auto connected = try_to_connect();
  ASSERT_TRUE(connected.has_error());
  EXPECT_EQ(connected.error().what, Failed::untrusted);
  EXPECT_EQ(connected.error().detail, "its certificate is not trusted: IP address mismatch");
  EXPECT_EQ(connected.error().server, "s0");
  EXPECT_EQ(counted(ServerHandshake::untrusted), 1U);
}

TEST_F(TlsUpstream, NeverResumesAroundARefusedCertificate) {
  begin_tls();
  auto attempt = connect_tls();
  ASSERT_TRUE(exchange_tls(*attempt, tls_far()).has_value());
  attempt.reset();
  use_certificate("other");  // and no key of the tickets before
  ASSERT_EQ(try_to_connect().error().what, Failed::untrusted);
  ASSERT_EQ(try_to_connect().error().what, Failed::untrusted) << "again, with nothing to resume";
  use_certificate("server");
  attempt = connect_tls();
  ASSERT_NE(attempt, nullptr);
  EXPECT_FALSE(tls_far().resumed());
}

TEST_F(TlsUpstream, GivesUpAHandshakeAtTheConnectTimeout) {
  begin_tls();
  options_.connect_timeout = milliseconds(50);
  begin_anew();
  const auto begun = std::chrono::steady_clock::now();
  const auto connected = try_to_connect(false);
  ASSERT_TRUE(connected.has_error());
  EXPECT_EQ(connected.error().what, Failed::connect_timeout);
  EXPECT_STREQ(connected.error().why, "it did not complete the TLS handshake in time");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(3));
  EXPECT_EQ(counted(ServerHandshake::timed_out), 1U);
}

TEST_F(TlsUpstream, ShowsItsCertificateAndTheNameItWants) {
  tls_.server_name = "localhost";
  tls_.certificate = files->path("gateway.crt");
  tls_.key = files->path("gateway.key");
  begin_tls();
  demand_certificate();
  const auto attempt = connect_tls();
  ASSERT_NE(attempt, nullptr);
  EXPECT_TRUE(tls_far().has_certificate());
  EXPECT_EQ(tls_far().server_name(), "localhost");
}

TEST_F(TlsUpstream, SaysWhyAServerEndsTheConnection) {
  begin_tls();
  demand_certificate();
  const auto connected = try_to_connect();  // in TLS 1.3 the server refuses after our handshake
  ASSERT_TRUE(connected.has_value());
  (void)send(**connected);
  const auto head = run((*connected)->read_head(head_, seconds(10)));
  ASSERT_TRUE(head.has_error());
  EXPECT_EQ(head.error().what, Failed::closed);
  EXPECT_EQ(head.error().detail, "tlsv13 alert certificate required");
}

}  // namespace
}  // namespace headgate::upstream::test
