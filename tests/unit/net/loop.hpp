#pragma once
// A worker's loop with two ends of one loopback connection, for tests of what waits on streams.

#include "headgate/core/task.hpp"
#include "headgate/net/read_buffer.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

namespace headgate::net::test {

namespace error = boost::asio::error;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The near end is the Stream under test. The far end is a plain socket of the test.
class Loop : public testing::Test {
 protected:
  Loop() {
    boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor(
        loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    far_.connect(acceptor.local_endpoint());
    Socket near(loop_.get_executor());
    acceptor.accept(near);
    near_ = StreamPtr(new Stream(std::move(near), timers_));
    timers_.start();
  }
  ~Loop() override {
    near_->close();
    timers_.stop();
    loop_.restart();
    loop_.run_for(seconds(1));
  }

  /// Runs `task` to its end. False if it still waits after `most`.
  bool finish(Task<void> task, milliseconds most = seconds(10)) {
    bool done = false;
    spawn(mark(std::move(task), done), "test");
    return run_until(done, most);
  }
  bool run_until(const bool& done, milliseconds most = seconds(10)) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!done && std::chrono::steady_clock::now() < end) {
      loop_.restart();
      loop_.run_one_for(milliseconds(100));
    }
    return done;
  }
  void say(std::string_view bytes) {
    while (!bytes.empty()) bytes.remove_prefix(far_.write_some(boost::asio::buffer(bytes.data(), bytes.size())));
  }
  /// What the far end has received, up to `most` bytes, without waiting.
  std::string heard(std::size_t most = 1 << 20) {
    std::string out(most, '\0');
    const auto got = ::recv(far_.native_handle(), out.data(), out.size(), MSG_DONTWAIT);
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return out;
  }

  boost::asio::io_context loop_{1};
  Timers timers_{loop_};
  Socket far_{loop_.get_executor()};
  StreamPtr near_;

 private:
  static Task<void> mark(Task<void> task, bool& done) {
    co_await task;
    done = true;
  }
};

}  // namespace headgate::net::test
