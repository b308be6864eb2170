#pragma once
// An upstream on a worker's loop, with scripted servers over loopback.

#include "headgate/core/task.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/upstream/diallers.hpp"
#include "headgate/upstream/server_group.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::upstream::test {

namespace error = boost::asio::error;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// One listening socket for each server.
class Servers : public testing::Test {
 protected:
  using Acceptor = boost::asio::basic_socket_acceptor<net::Tcp, net::Executor>;

  Servers() { timers_.start(); }
  ~Servers() override {
    upstream_.reset();
    far_.clear();
    timers_.stop();
    loop_.restart();
    loop_.run_for(seconds(1));
  }

  void begin(std::size_t servers, std::uint32_t max_idle = 64, const TlsUse& tls = {}) {
    options_.name = "app";
    options_.max_idle = max_idle;
    for (std::size_t i = 0; i < servers; ++i) {
      acceptors_.emplace_back(loop_, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
      const auto port = acceptors_.back().local_endpoint().port();
      options_.servers.push_back({"127.0.0.1", port, "s" + std::to_string(i)});
    }
    upstream_ =
        std::make_unique<ServerGroup>(clock_, options_, h1_dialler({loop_, timers_, blocks_, clock_, random_}, tls));
  }

  /// Runs `task` to its end.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> out;
    spawn(put(std::move(task), out), "test");
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (!out && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(milliseconds(100));
    }
    EXPECT_TRUE(out) << "it still waits";
    return std::move(out).value();
  }

  /// A new connection; its far end is far().
  AttemptPtr connect() {
    auto connected = run(upstream_->connect(choice_));
    EXPECT_TRUE(connected.has_value());
    if (!connected) return nullptr;
    const auto at = static_cast<std::size_t>((*connected)->server()[1] - '0');
    far_.emplace_back(loop_.get_executor());
    acceptors_[at].accept(far_.back());
    return *connected;
  }
  net::Socket& far() { return far_.back(); }
  static void say(net::Socket& far, std::string_view bytes) {
    while (!bytes.empty()) bytes.remove_prefix(far.write_some(boost::asio::buffer(bytes.data(), bytes.size())));
  }

  Result<void> send(Attempt& attempt) {
    const RequestStart start{"GET", "/a", "", &none_, {}, seconds(10), seconds(10), &room_};
    return run(attempt.send(start, {}, http::EndStream::yes));
  }
  /// Sends a request, which the server answers with this. Returns how far its body came.
  Result<void, Failure> exchange(Attempt& attempt, net::Socket& far, std::string_view answer) {
    EXPECT_TRUE(send(attempt).has_value());
    say(far, answer);
    auto head = run(attempt.read_head(head_, seconds(10)));
    if (head.has_value()) (void)attempt.body().ready();
    return head;
  }
  void give_back(AttemptPtr attempt) {
    upstream_->note(*attempt, balance::AttemptOutcome::answered, milliseconds(1));
    upstream_->give_back(std::move(attempt));
  }

  static constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  boost::asio::io_context loop_{1};
  net::Timers timers_{loop_};
  net::Blocks blocks_{{16UL * 1024, 4}, {64UL * 1024, 4}};
  net::LoopClock clock_{loop_};
  Random random_{1};
  std::vector<Acceptor> acceptors_;
  std::vector<net::Socket> far_;
  ServerGroupOptions options_;
  std::unique_ptr<ServerGroup> upstream_;
  http::ReplyHead head_;
  balance::Choice choice_;

 private:
  template <class T>
  static Task<void> put(Task<T> task, std::optional<T>& out) {
    out.emplace(co_await task);
  }
  http::Fields none_;
  TextBuffer room_;
};

}  // namespace headgate::upstream::test
