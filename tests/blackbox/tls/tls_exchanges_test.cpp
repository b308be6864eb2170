// What a server with TLS does with an exchange: the same as a plain one. HAProxy adds the TLS to the fake upstream.

#include "blackbox/tls/tls_gateway.hpp"

#include <fstream>
#include <memory>
#include <optional>
#include <thread>

namespace headgate::test {
namespace {

class TlsExchanges : public WithCertificates {
 protected:
  void SetUp() override {
    WithCertificates::SetUp();
    if (IsSkipped()) return;
    if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
    pem_ = std::make_unique<TemporaryFile>(text("server.crt") + text("server.key"), "server.pem");
    front_.reset(new RealServer(haproxy("ssl crt " + pem_->path(), upstream.port())));
    ASSERT_TRUE(front_->listens()) << front_->said();
    gateway_.emplace(in_front_of(front_->port(), trusting(), {{"all_routes", {{"max_body", "100MiB"}}}}));
  }
  RawClient client() const { return gateway_->client(); }

  FakeUpstream upstream;
  std::unique_ptr<RealServer> front_;
  std::optional<Gateway> gateway_;

 private:
  static std::string text(const std::string& name) {
    std::ifstream in(files->path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::unique_ptr<TemporaryFile> pem_;
};

TEST_F(TlsExchanges, CarryBodiesOfEveryFraming) {
  auto one = client();
  for (const char* fields : {"X-Test-Bytes: 3000000\r\n", "X-Test-Bytes: 300000\r\nX-Test-Chunked: 512\r\n", ""})
    EXPECT_EQ(one.get("/", fields).status(), 200) << fields;
  const auto big = one.get("/", "X-Test-Bytes: 3000000\r\n");
  EXPECT_EQ(big.body, pattern(3'000'000));
  const auto ended = client().get("/", "X-Test-Bytes: 100000\r\nX-Test-No-Length: 1\r\n");
  EXPECT_TRUE(ended.ok()) << ended.error;
  EXPECT_EQ(ended.body, pattern(100'000)) << "HAProxy says that nothing follows";
  const auto trailers = client().get("/", "X-Test-Chunked: 10\r\nX-Test-Bytes: 30\r\nX-Test-Trailer: Sum: 7\r\n");
  EXPECT_EQ(trailers.trailer("Sum"), "7");
}

TEST_F(TlsExchanges, CarryUploads) {
  const auto body = pattern(5'000'000);
  const auto answer = client().ask(request_with_body("POST", "/", body, "X-Test-Echo: 1\r\n"));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.body, body) << "both directions at once";
}

TEST_F(TlsExchanges, UseOneConnectionForAllRequests) {
  auto one = client();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.get("/").status(), 200);
  EXPECT_EQ(upstream.requests().back().connection, upstream.requests().front().connection);
}

TEST_F(TlsExchanges, CarryInterimAnswers) {
  auto one = client();
  one.send(request("GET", "/", "X-Test-Interim: 103\r\n"));
  EXPECT_EQ(one.read_head().status(), 103);
  EXPECT_EQ(one.read().status(), 200);
}

TEST_F(TlsExchanges, CarryTunnels) {
  auto one = client();
  one.send(request("GET", "/ws",
                   "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  ASSERT_EQ(one.read_head().status(), 101);
  const std::string odd("\x81\x05hello\0\r\n\r\nGET / HTTP/1.1\r\n\r\n", 30);
  for (int i = 0; i < 5; ++i) {
    one.send(odd);
    EXPECT_EQ(one.read_bytes(odd.size()), odd);
  }
  const auto much = pattern(1'000'000);
  std::thread sender([&] { one.send(much); });
  EXPECT_EQ(one.read_bytes(much.size()), much);
  sender.join();
}

TEST_F(TlsExchanges, AreRepeatedAfterAPooledConnectionWasStale) {
  auto one = client();
  EXPECT_EQ(one.get("/").status(), 200);
  EXPECT_EQ(one.get("/", "X-Test-Reset-If-Reused: 1\r\n").status(), 200);
  EXPECT_EQ(upstream.request_count(), 3U);
}

TEST_F(TlsExchanges, SeeAnAnswerThatComesBeforeTheUploadIsRead) {
  auto one = client();
  one.send("POST / HTTP/1.1\r\nHost: a\r\nX-Test-Early: 1\r\nX-Test-Status: 403\r\nContent-Length: 3000000\r\n\r\n");
  std::thread sender([&] { one.send(pattern(3'000'000)); });
  const auto answer = one.read();
  sender.join();
  EXPECT_TRUE(answer.status() == 403 || answer.status() == 502) << visible(answer.head);
}

TEST_F(TlsExchanges, EndWithAnErrorWhereAnAnswerIsCut) {
  EXPECT_FALSE(client().get("/", "X-Test-Bytes: 100000\r\nX-Test-Cut: 1\r\n").ok());
  EXPECT_EQ(client().get("/", "X-Test-Reset: 1\r\n").status(), 502);
}

TEST_F(TlsExchanges, EndWithTheTimeoutOfTheRoute) {
  Gateway hasty(in_front_of(front_->port(), trusting(), {{"all_routes", {{"timeout", "200ms"}}}}));
  EXPECT_EQ(hasty.client().get("/", "X-Test-Never: 1\r\n").status(), 504);
}

}  // namespace
}  // namespace headgate::test
