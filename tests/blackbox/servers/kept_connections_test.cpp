// Pooled connections to servers: what happened on one meanwhile is never the answer to the next request.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <csignal>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

/// A server that the test plays itself, with one connection after another.
class HandledServer {
 public:
  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.local_port()); }
  /// The next connection; not open if none comes within kPatience.
  Socket accept() const {
    pollfd coming{listener_.fd(), POLLIN, 0};
    if (::poll(&coming, 1, static_cast<int>(kPatience.count())) != 1) return {};
    return Socket(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  }

 private:
  Socket listener_ = Socket::listen();
};

std::string answer_with(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A gateway that has one pooled connection and is stopped (SIGSTOP): it sees everything that happens now at once.
class Stopped : public testing::Test {
 protected:
  void SetUp() override {
    client_.send(request("GET", "/first"));
    server_ = upstream_.accept();
    Message seen = MessageReader(server_).read_head();
    ASSERT_TRUE(seen.ok()) << seen.error;
    ASSERT_TRUE(server_.send(answer_with("first")));
    ASSERT_EQ(client_.read().body, "first");
    gateway_.process().signal(SIGSTOP);
    ASSERT_TRUE(is_stopped());
  }
  void TearDown() override { gateway_.process().signal(SIGCONT); }

  /// The request that the server gets on a new connection; it answers with `body`.
  Message answer_on_a_new_connection(const std::string& body) {
    Socket next = upstream_.accept();
    Message seen = MessageReader(next).read_head();
    EXPECT_TRUE(next.send(answer_with(body)));
    return seen;
  }

  HandledServer upstream_;
  Gateway gateway_{Json{{"listen", "127.0.0.1:0"},
                        {"workers", 1},
                        {"admin", "off"},
                        {"upstreams", {{"app", upstream_.url()}}},
                        {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}}};
  RawClient client_ = gateway_.client();
  Socket server_;

 private:
  bool is_stopped() {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      std::ifstream stat("/proc/" + std::to_string(gateway_.process().pid()) + "/stat");
      std::string text;
      std::getline(stat, text);
      const auto state = text.rfind(") ");
      if (state != std::string::npos && text[state + 2] == 'T') return true;
      std::this_thread::sleep_for(Milliseconds(1));
    }
    return false;
  }
};

TEST_F(Stopped, AnUnaskedAnswerIsNotTheNextCallers) {
  client_.send(request("GET", "/second"));
  server_.send(answer_with("forged"));
  gateway_.process().signal(SIGCONT);
  const Message seen = answer_on_a_new_connection("second");
  EXPECT_EQ(seen.target(), "/second");
  EXPECT_EQ(client_.read().body, "second");
}

TEST_F(Stopped, AConnectionThatWasClosedIsNotSentARequestThatCannotBeSentTwice) {
  client_.send(request_with_body("POST", "/second", "hello"));
  server_.close();
  gateway_.process().signal(SIGCONT);
  const Message seen = answer_on_a_new_connection("second");
  EXPECT_EQ(seen.method(), "POST");
  EXPECT_EQ(client_.read().body, "second");
}

TEST(KeptConnections, ThatAllBreakCostOneMoreAttemptOnANewOne) {
  constexpr std::size_t kKept = 12;
  for (const char* method : {"GET", "PUT", "DELETE"}) {
    Proxy proxy;
    std::vector<RawClient> clients;
    for (std::size_t i = 0; i < kKept; ++i) {
      clients.push_back(proxy.client());
      clients.back().send(request("GET", "/", "X-Test-Hold: 1\r\n"));
    }
    ASSERT_TRUE(proxy.upstream.wait_for_requests(kKept));
    proxy.upstream.release();
    for (auto& client : clients) ASSERT_EQ(client.read().status(), 200);
    ASSERT_EQ(proxy.upstream.connections(), kKept);
    const Message answer = clients.front().ask(request(method, "/", "X-Test-Reset-If-Reused: 1\r\n"));
    EXPECT_EQ(answer.status(), 200) << method;
    EXPECT_EQ(proxy.upstream.request_count(), kKept + 2) << method;
    EXPECT_EQ(proxy.upstream.connections(), kKept + 1) << method;
  }
}

}  // namespace
}  // namespace headgate::test
