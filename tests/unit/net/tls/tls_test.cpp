// TLS on a stream: both sides are streams here, on one loop.
#include "headgate/net/tls/tls.hpp"

#include "support/certificates.hpp"
#include "unit/net/loop.hpp"

#include <algorithm>

namespace headgate::net::test {
namespace {

class TlsTest : public Loop {
 protected:
  static void SetUpTestSuite() {
    if (!headgate::test::Certificates::possible()) return;
    files = new headgate::test::Certificates;
    files->make("server", "DNS:localhost,IP:127.0.0.1");
  }
  static void TearDownTestSuite() { delete std::exchange(files, nullptr); }
  void SetUp() override {
    if (files == nullptr) GTEST_SKIP() << "no openssl on this machine";
    server_context = *TlsContext::of_server(files->path("server.crt"), files->path("server.key"));
    TlsOptions options;
    options.ca = files->path("ca.crt");
    client_context = *TlsContext::of_client(options);
  }
  void TearDown() override {
    if (client) client->close();
  }
  /// The far end as a stream of its own.
  void begin() { client = StreamPtr(new Stream(std::move(far_), timers_)); }

  void connect_again() {
    near_->close();
    boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor(
        loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    far_ = Socket(loop_.get_executor());
    far_.connect(acceptor.local_endpoint());
    Socket near(loop_.get_executor());
    acceptor.accept(near);
    near_ = StreamPtr(new Stream(std::move(near), timers_));
    ended = 0;
  }

  Task<void> serve(std::string received = {}) {
    served = co_await secure(*near_, *server_context, "", received, seconds(5));
    ++ended;
  }
  Task<void> ask(std::string host = "localhost", milliseconds most = seconds(5)) {
    asked = co_await secure(*client, *client_context, std::move(host), {}, most, session);
    ++ended;
  }
  bool shake_hands() {
    begin();
    spawn(serve(), "server");
    spawn(ask(), "client");
    return both_ended() && asked.has_value() && served.has_value();
  }
  bool both_ended() {
    const auto end = std::chrono::steady_clock::now() + seconds(10);
    while (ended < 2 && std::chrono::steady_clock::now() < end) {
      loop_.restart();
      loop_.run_one_for(milliseconds(100));
    }
    return ended == 2;
  }

  static Task<void> write(Stream& stream, const std::string& bytes, Result<void>& result) {
    const std::array<std::string_view, 3> pieces{
        std::string_view(bytes).substr(0, 3), std::string_view(bytes).substr(3, 5),
        std::string_view(bytes).substr(std::min<std::size_t>(8, bytes.size()))};
    result = co_await stream.write_all(pieces, seconds(5));
  }
  static Task<void> read(Stream& stream, std::size_t most, std::string& out, error_code& why) {
    std::array<char, 10000> block;
    while (out.size() < most) {
      why = co_await stream.readable(seconds(5));
      if (why) co_return;
      const auto got = stream.read_now(block);
      if (got.has_value()) out.append(block.data(), *got);
      if (got.has_value() || got.error() == error::would_block) continue;
      why = got.error();
      co_return;
    }
  }

  static inline headgate::test::Certificates* files = nullptr;
  std::shared_ptr<const TlsContext> server_context;
  std::shared_ptr<const TlsContext> client_context;
  StreamPtr client;
  std::shared_ptr<TlsSession> session;
  Result<void, TlsError> served;
  Result<void, TlsError> asked;
  int ended = 0;
};

TEST_F(TlsTest, CarriesBytesBothWays) {
  ASSERT_TRUE(shake_hands());
  Result<void> written;
  std::string heard_here;
  std::string heard_there;
  error_code why;
  ASSERT_TRUE(finish(write(*client, "a request that comes in pieces", written)));
  ASSERT_TRUE(finish(read(*near_, 30, heard_here, why)));
  EXPECT_EQ(heard_here, "a request that comes in pieces");
  ASSERT_TRUE(near_->write_now("an answer"));
  ASSERT_TRUE(finish(read(*client, 9, heard_there, why)));
  EXPECT_EQ(heard_there, "an answer");
  EXPECT_TRUE(client->silent()) << "tickets are no bytes";
}

TEST_F(TlsTest, CarriesMoreThanTheKernelTakesAtOnce) {
  ASSERT_TRUE(shake_hands());
  std::string much(8UL << 20, '\0');
  for (std::size_t i = 0; i < much.size(); ++i) much[i] = static_cast<char>(i * 7 + i / 256);
  Result<void> written = error_code(error::would_block);
  spawn(write(*client, much, written), "writer");
  std::string got;
  error_code why;
  ASSERT_TRUE(finish(read(*near_, much.size(), got, why), seconds(30))) << got.size();
  EXPECT_FALSE(why) << why.message();
  EXPECT_TRUE(got == much);
  EXPECT_TRUE(written.has_value());
}

TEST_F(TlsTest, KeepsWhatASmallReadLeft) {
  ASSERT_TRUE(shake_hands());
  Result<void> written;
  ASSERT_TRUE(finish(write(*client, "twelve bytes", written)));
  bool came = false;
  near_->watch([](void* told, Stream&) { *static_cast<bool*>(told) = true; }, &came);
  ASSERT_TRUE(run_until(came));
  std::string all;
  std::array<char, 5> few;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(near_->silent()) << i;
    EXPECT_TRUE(near_->transport().readable()) << i;
    const auto got = near_->read_now(few);
    ASSERT_TRUE(got.has_value()) << got.error().message();
    all.append(few.data(), *got);
  }
  EXPECT_EQ(all, "twelve bytes");
  EXPECT_EQ(near_->read_now(few).error(), error::would_block);
  EXPECT_FALSE(near_->transport().readable());
  EXPECT_TRUE(near_->silent());
}

TEST_F(TlsTest, TellsAProperEndFromABrokenConnection) {
  ASSERT_TRUE(shake_hands());
  std::string got;
  error_code why;
  client->shutdown_send();
  ASSERT_TRUE(finish(read(*near_, 1, got, why)));
  EXPECT_EQ(why, error::eof) << "it said that nothing more comes";
  ASSERT_TRUE(near_->write_now("still here"));
  ASSERT_TRUE(finish(read(*client, 10, got, why)));
  EXPECT_EQ(got, "still here");
  ::shutdown(near_->descriptor(), SHUT_WR);
  ASSERT_TRUE(finish(read(*client, 20, got, why)));
  EXPECT_EQ(why, error::connection_aborted) << "anybody can close a connection; only the peer can say so sealed";
}

TEST_F(TlsTest, SeesAnEndThatOnlyTlsTells) {
  ASSERT_TRUE(shake_hands());
  EXPECT_FALSE(near_->sees_end());
  client->transport().send_end();
  const auto end = std::chrono::steady_clock::now() + seconds(5);
  while (!near_->sees_end() && std::chrono::steady_clock::now() < end) loop_.run_one_for(milliseconds(10));
  EXPECT_TRUE(near_->sees_end());
  EXPECT_FALSE(near_->peer_ended()) << "the connection is open";
}

TEST_F(TlsTest, TakesNoNextMessageForAnEnd) {
  ASSERT_TRUE(shake_hands());
  ASSERT_TRUE(client->write_now("next"));
  const auto end = std::chrono::steady_clock::now() + seconds(5);
  while (near_->silent() && std::chrono::steady_clock::now() < end) loop_.run_one_for(milliseconds(10));
  EXPECT_FALSE(near_->sees_end());
  std::array<char, 16> into{};
  EXPECT_EQ(*near_->read_now(into), 4U) << "looking takes nothing";
}

TEST_F(TlsTest, SendsCloseNotifyWhenClosed) {
  ASSERT_TRUE(shake_hands());
  std::string got;
  error_code why;
  client->close();
  ASSERT_TRUE(finish(read(*near_, 1, got, why)));
  EXPECT_EQ(why, error::eof);
}

TEST_F(TlsTest, ResumesASession) {
  session = std::make_shared<TlsSession>();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(shake_hands());
    EXPECT_EQ(session->resumed(), i > 0) << i;
    ASSERT_TRUE(near_->write_now("x"));
    std::string got;
    error_code why;
    ASSERT_TRUE(finish(read(*client, 1, got, why)));
    client->reset();  // OpenSSL alone would not resume the session of a connection that ends so
    connect_again();
  }
}

TEST_F(TlsTest, KnowsAReset) {
  ASSERT_TRUE(shake_hands());
  EXPECT_FALSE(near_->broken());
  client->reset();
  bool came = false;
  near_->watch([](void* told, Stream&) { *static_cast<bool*>(told) = true; }, &came);
  ASSERT_TRUE(run_until(came));
  EXPECT_TRUE(near_->broken());
}

TEST_F(TlsTest, TrustsNoCertificateForAnotherName) {
  begin();
  spawn(serve(), "server");
  spawn(ask("other.example"), "client");
  ASSERT_TRUE(both_ended());
  ASSERT_TRUE(asked.has_error());
  EXPECT_TRUE(asked.error().distrusted);
  EXPECT_EQ(asked.error().reason, "its certificate is not trusted: hostname mismatch");
  ASSERT_TRUE(served.has_error()) << "and it is told so";
  EXPECT_FALSE(served.error().distrusted);
}

TEST_F(TlsTest, GivesUpOnAPeerThatSaysNothing) {
  begin();
  ASSERT_TRUE(finish(ask("localhost", milliseconds(20))));
  ASSERT_TRUE(asked.has_error());
  EXPECT_EQ(asked.error().code, error::timed_out);
}

TEST_F(TlsTest, GivesUpOnAPeerWithoutTls) {
  begin();
  ASSERT_TRUE(near_->write_now("HTTP/1.1 400 Bad Request\r\n\r\n"));
  ASSERT_TRUE(finish(ask()));
  ASSERT_TRUE(asked.has_error());
  EXPECT_FALSE(asked.error().distrusted);
  EXPECT_EQ(asked.error().reason, "it does not speak TLS");
}

TEST_F(TlsTest, IsInterruptedInItsHandshake) {
  begin();
  spawn(ask(), "client");
  client->interrupt();
  EXPECT_EQ(ended, 1);
  ASSERT_TRUE(asked.has_error());
  EXPECT_EQ(asked.error().code, error::operation_aborted);
}

/// As behind a load balancer that sends a PROXY header first.
TEST_F(TlsTest, ContinuesAHandshakeThatBeganAfterAPlainHeader) {
  const std::string header = "PROXY TCP4 192.0.2.7 198.51.100.1 4242 443\r\n";
  say(header);
  begin();
  spawn(ask(), "client");
  std::string got;
  error_code why;
  // All at once, so that some of the bytes belong to the handshake.
  while (got.size() <= header.size()) ASSERT_TRUE(finish(read(*near_, got.size() + 1, got, why)));
  ASSERT_TRUE(got.starts_with(header));
  spawn(serve(got.substr(header.size())), "server");
  ASSERT_TRUE(both_ended());
  ASSERT_TRUE(served.has_value()) << served.error().reason;
  ASSERT_TRUE(asked.has_value()) << asked.error().reason;
  ASSERT_TRUE(client->write_now("GET"));
  std::string request;
  ASSERT_TRUE(finish(read(*near_, 3, request, why)));
  EXPECT_EQ(request, "GET");
}

TEST(TlsContextTest, NamesTheFileThatCannotBeUsed) {
  const auto made = TlsContext::of_server("/no/such.crt", "/no/such.key");
  ASSERT_TRUE(made.has_error());
  EXPECT_EQ(made.error(), "cannot read the certificate \"/no/such.crt\": No such file or directory");
}

}  // namespace
}  // namespace headgate::net::test
