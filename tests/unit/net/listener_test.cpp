#include "headgate/net/listener.hpp"

#include "headgate/net/timers.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace headgate::net {
namespace {

using testing::HasSubstr;

/// Whether somebody listens on this port of 127.0.0.1.
bool connects(std::uint16_t port) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected = ::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(client);
  return connected;
}

struct CheckFree : testing::Test {
  /// Below the ports that the kernel gives to clients: a client that gets the port it connects to reaches itself.
  CheckFree() {
    options.host = "127.0.0.1";
    options.port = static_cast<std::uint16_t>(15000 + ::getpid() % 15000);
    while (check_free(options).has_error()) ++options.port;
  }
  boost::asio::io_context loop{1};
  Timers timers{loop};
  ListenOptions options;
};

TEST_F(CheckFree, TakesNoConnectionThatItWouldReset) {
  std::atomic<bool> done{false};
  int taken = 0;
  int tried = 0;
  std::thread client([&] {
    for (; !done; ++tried) taken += connects(options.port) ? 1 : 0;
  });
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(check_free(options).has_value());
  done = true;
  client.join();
  EXPECT_GT(tried, 0);
  EXPECT_EQ(taken, 0);
}

TEST_F(CheckFree, FindsAListenerThatWouldShareThePort) {
  const auto listener = Listener::open(loop, timers, options);
  ASSERT_TRUE(listener.has_value()) << listener.error();
  const auto taken = check_free(options);
  ASSERT_TRUE(taken.has_error());
  EXPECT_THAT(taken.error(), HasSubstr("is taken"));
}

}  // namespace
}  // namespace headgate::net
