#include "headgate/net/connect.hpp"

#include "loop.hpp"
#include "support/certificates.hpp"

#include <functional>
#include <map>

namespace headgate::net::test {
namespace {

using boost::asio::ip::make_address;
using At = ConnectError::At;

class ConnectTest : public Loop {
 protected:
  using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;

  Result<Connected, ConnectError> connect(Connector& connector, const ConnectOptions& terms) {
    EXPECT_TRUE(finish(ask(connector, terms)));
    return result;
  }
  Task<void> ask(Connector& connector, const ConnectOptions& terms) {
    result = co_await connector.connect(terms);
    ended = true;
  }
  /// Of whoever trusts the tests' authority.
  static auto client_context() {
    const headgate::test::Certificates files;
    TlsOptions options;
    options.ca = files.path("ca.crt");
    return TlsContext::of_client(options);
  }
  std::uint16_t port() const { return acceptor.local_endpoint().port(); }

  Acceptor acceptor{loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
  Result<Connected, ConnectError> result = ConnectError{};
  bool ended = false;
};

TEST_F(ConnectTest, ReachesAnAddressAndAName) {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Connector connector(loop_, timers_, host, port());
    const auto connected = connect(connector, {.whole = seconds(5)});
    ASSERT_TRUE(connected.has_value()) << host << ": " << connected.error().reason;
    EXPECT_TRUE(connected->stream->is_open());
    connected->stream->close();
  }
}

TEST_F(ConnectTest, SaysHowFarItCame) {
  Connector nobody(loop_, timers_, "127.0.0.1", 1);
  auto failed = connect(nobody, {.whole = seconds(5)});
  ASSERT_TRUE(failed.has_error());
  EXPECT_EQ(failed.error().at, At::address);
  EXPECT_EQ(failed.error().code, error::connection_refused);
  Connector nameless(loop_, timers_, "no-such-name.invalid", 80);
  failed = connect(nameless, {.whole = seconds(5)});
  ASSERT_TRUE(failed.has_error());
  EXPECT_EQ(failed.error().at, At::name);
  EXPECT_FALSE(failed.error().reason.empty());
}

TEST_F(ConnectTest, SkipsAddressesThatDidNotServe) {
  Connector connector(loop_, timers_, "127.0.0.1", port());
  const auto first = connect(connector, {.whole = seconds(5)});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->address, 0U);
  EXPECT_TRUE(first->last);
  first->stream->close();
  EXPECT_TRUE(connect(connector, {.whole = seconds(5), .skip = 1}).has_error());
}

TEST_F(ConnectTest, UsesAllAddressesInTurn) {
  Acceptor other(loop_);
  other.open(Tcp::v4());
  for (error_code taken = boost::asio::error::address_in_use; taken;) {  // until a port is free at both
    acceptor = Acceptor(loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    other.bind({make_address("127.0.0.2"), acceptor.local_endpoint().port()}, taken);
  }
  other.listen();
  const Tcp::endpoint first = acceptor.local_endpoint();
  Connector connector(loop_, timers_, "api.invalid", first.port());
  connector.use({first, other.local_endpoint()});
  std::map<Tcp::endpoint, int> used;
  for (int i = 0; i < 6; ++i) {
    const auto connected = connect(connector, {.whole = seconds(5), .in_turn = true});
    ASSERT_TRUE(connected.has_value()) << connected.error().reason;
    ++used[connected->to];
    connected->stream->close();
  }
  EXPECT_EQ(used[first], 3);
  EXPECT_EQ(used[other.local_endpoint()], 3);
}

TEST_F(ConnectTest, TriesAnAddressLastThatJustFailed) {
  const Tcp::endpoint good = acceptor.local_endpoint();
  const Tcp::endpoint bad(make_address("127.0.0.3"), good.port());
  Connector connector(loop_, timers_, "api.invalid", good.port());
  connector.use({bad, good});
  std::size_t tried_second = 0;
  for (int i = 0; i < 6; ++i) {
    const auto connected = connect(connector, {.whole = seconds(5), .in_turn = true});
    ASSERT_TRUE(connected.has_value()) << connected.error().reason;
    EXPECT_EQ(connected->to, good);
    tried_second += connected->address;
    connected->stream->close();
  }
  EXPECT_EQ(tried_second, 1U) << "only the first time";
}

TEST_F(ConnectTest, KeepsTheAddressesOfANameWhileTheResolverFails) {
  Connector connector(loop_, timers_, "no-such-name.invalid", port());
  connector.use({acceptor.local_endpoint()});
  auto connected = connect(connector, {.whole = seconds(5)});
  ASSERT_TRUE(connected.has_value());
  connected->stream->close();
  const auto at = acceptor.local_endpoint();
  acceptor.close();
  EXPECT_TRUE(connect(connector, {.whole = seconds(5)}).has_error()) << "nobody listens";
  acceptor = Acceptor(loop_, at);
  connected = connect(connector, {.whole = seconds(5)});
  ASSERT_TRUE(connected.has_value()) << "the name cannot be looked up: " << connected.error().reason;
}

TEST_F(ConnectTest, GivesUpAHandshakeAtTheDeadline) {
  const auto context = client_context();
  if (context.has_error()) GTEST_SKIP() << context.error();
  Connector connector(loop_, timers_, "127.0.0.1", port());
  for (const auto& terms : {ConnectOptions{.whole = milliseconds(30), .tls = *context},
                            ConnectOptions{.each = milliseconds(30), .tls = *context}}) {
    const auto failed = connect(connector, terms);
    ASSERT_TRUE(failed.has_error()) << "the kernel takes the connection, and nobody answers";
    EXPECT_EQ(failed.error().at, At::handshake);
    EXPECT_EQ(failed.error().code, error::timed_out);
  }
}

TEST_F(ConnectTest, FailsWhatIsUnderWayWhenStopped) {
  Connector connector(loop_, timers_, "localhost", port());
  spawn(ask(connector, {.whole = seconds(5)}), "test");
  EXPECT_FALSE(ended);
  connector.stop();
  EXPECT_TRUE(ended);
  ASSERT_TRUE(result.has_error());
  EXPECT_EQ(result.error().code, error::operation_aborted);
  EXPECT_EQ(connect(connector, {.whole = seconds(5)}).error().code, error::operation_aborted) << "and whatever follows";
}

TEST_F(ConnectTest, FailsAHandshakeUnderWayWhenStopped) {
  const auto context = client_context();
  if (context.has_error()) GTEST_SKIP() << context.error();
  Connector connector(loop_, timers_, "127.0.0.1", port());
  const ConnectOptions terms{.whole = seconds(5), .tls = *context};
  spawn(ask(connector, terms), "test");
  for (int i = 0; i < 100 && connector.at() != At::handshake; ++i) loop_.run_one_for(milliseconds(20));
  ASSERT_EQ(connector.at(), At::handshake);
  EXPECT_FALSE(ended);
  connector.stop();
  EXPECT_TRUE(ended);
  EXPECT_EQ(result.error().code, error::operation_aborted);
}

TEST_F(ConnectTest, MayBeDestroyedDuringACall) {
  {
    Connector connector(loop_, timers_, "127.0.0.1", port());
    spawn(ask(connector, {.whole = seconds(5)}), "test");
  }
  EXPECT_TRUE(run_until(ended));
}

TEST(AlternateFamilies, AlternatesAndKeepsTheOrderOfEachFamily) {
  std::vector<Tcp::endpoint> addresses;
  for (const char* text : {"2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1", "192.0.2.2"})
    addresses.emplace_back(make_address(text), 80);
  alternate_families(addresses);
  std::vector<std::string> order;
  for (const auto& one : addresses) order.push_back(one.address().to_string());
  EXPECT_EQ(order, (std::vector<std::string>{"2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3"}));
  std::vector<Tcp::endpoint> none;
  alternate_families(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace headgate::net::test
