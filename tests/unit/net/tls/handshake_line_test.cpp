// The line of TLS handshakes moves by itself while nobody new comes.

#include "unit/net/loop.hpp"

#include "headgate/net/tls/handshake_turns.hpp"

#include <memory>
#include <vector>

namespace headgate::net {
namespace {

class HandshakeLine : public test::Loop {
 protected:
  /// Takes a place and waits for its client, which sends nothing more, until it is broken off.
  Task<void> drip(HandshakeTurns& turns, StreamPtr stream) {
    co_await turns.begin();
    HandshakeTurns::Place place(turns, stream.get());
    ++begun_;
    place.waits_for_client(true);
    (void)co_await stream->readable(seconds(60));
    ended_ += place.lost() ? 1 : 0;
  }
  StreamPtr another() {
    boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor(
        loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    far_ends_.emplace_back(loop_.get_executor()).connect(acceptor.local_endpoint());
    Socket near(loop_.get_executor());
    acceptor.accept(near);
    return StreamPtr(new Stream(std::move(near), timers_));
  }

  int begun_ = 0;
  int ended_ = 0;
  std::vector<Socket> far_ends_;
};

TEST_F(HandshakeLine, MovesWhileNobodyNewComes) {
  HandshakeTurns turns(loop_, 2);
  std::vector<StreamPtr> streams;
  for (int i = 0; i < 6; ++i) spawn(drip(turns, streams.emplace_back(another())), "test");
  const auto until = std::chrono::steady_clock::now() + seconds(8);
  while (begun_ < 6 && std::chrono::steady_clock::now() < until) {
    loop_.restart();
    loop_.run_one_for(milliseconds(50));
  }
  EXPECT_EQ(begun_, 6) << "two after another second each";
  for (const auto& each : streams) each->interrupt();
  loop_.restart();
  loop_.run_for(milliseconds(50));
}

}  // namespace
}  // namespace headgate::net
