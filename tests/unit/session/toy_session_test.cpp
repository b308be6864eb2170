// A second session kind, of a protocol that only this test speaks, in which several requests are under way at once. It
// shows what a session is made of: this file is all of it, and nothing else has to change.
//
// A request is a line "<stream> <path>", a reset of a stream "<stream> !". An answer is a line "<stream> <status>".

#include "../../../src/session/session.hpp"
#include "support/virtual_clock.hpp"
#include "unit/net/loop.hpp"

#include "headgate/gateway/active_exchange.hpp"
#include "headgate/session/sessions.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <vector>

namespace headgate::session {
namespace {

using headgate::test::VirtualClock;
using headgate::test::Wait;

class NoBody final : public http::BodyReader {
 public:
  bool take_at_most(std::uint64_t) noexcept override { return true; }
  Result<std::string_view> ready() override { return std::string_view(); }
  Task<Result<std::string_view>> read() override { co_return std::string_view(); }
  bool ended() const noexcept override { return true; }
  void cancel() noexcept override {}
  const http::Fields& trailers() const noexcept override { return none_; }

 private:
  http::Fields none_;
};

/// The status on a line of its own is the whole answer.
class ToyReply final : public http::ReplyWriter {
 public:
  ToyReply(net::Stream& client, std::string id) : client_(client), id_(std::move(id)) {}
  Task<Result<void>> interim(const http::ReplyStart&) override { co_return Result<void>{}; }
  Task<Result<void>> send(const http::ReplyStart& start, std::string_view, http::EndStream) override {
    started_ = true;
    if (!client_.write_now(id_ + ' ' + std::to_string(start.status) + '\n'))
      co_return error_code(net::test::error::eof);
    co_return Result<void>{};
  }
  Task<Result<void>> write(std::string_view, http::EndStream) override { co_return Result<void>{}; }
  Task<Result<void>> finish(const http::Fields&) override { co_return Result<void>{}; }
  void tunnel(Duration) override {}
  bool started() const noexcept override { return started_; }
  std::uint64_t bytes_sent() const noexcept override { return 0; }

 private:
  net::Stream& client_;
  std::string id_;
  bool started_ = false;
};

class ToySession final : public Session {
 public:
  ToySession(Sessions& owner, net::ReadBuffer input, Peer peer) : Session(owner, std::move(input), std::move(peer)) {}

  void begin() override { wait_idle(patience()); }
  void break_off() noexcept override { close(gateway::ActiveExchange::Because::broken_off); }

 private:
  void serve() override { spawn(read(), "toy"); }
  Task<void> read() {
    while (true) {
      const auto line_end = read_buffer_.data().find('\n');
      if (line_end != std::string_view::npos) {
        const std::string line(read_buffer_.data().substr(0, line_end));
        read_buffer_.consume(line_end + 1);
        const auto space = line.find(' ');
        take(line.substr(0, space), line.substr(space + 1));
      } else if ((co_await read_buffer_.fill(timeouts().idle)).has_error()) {
        break;
      }
    }
    reading_ = false;
    close(gateway::ActiveExchange::Because::client_gone);
  }
  void take(const std::string& id, const std::string& path) {
    if (path == "!") {
      const auto server = streams_.at(id).end_early(gateway::ActiveExchange::Because::client_gone);
      server.cancel();
    } else {
      spawn(answer(id, path), "toy stream");
    }
  }
  Task<void> answer(std::string id, std::string path) {
    auto x = exchanges().take();
    begin_exchange(*x);
    x->request.method = "GET";
    x->request.path = path;
    NoBody body;
    ToyReply reply(*stream_, id);
    x->body = &body;
    x->reply = &reply;
    streams_[id].begin(*x);
    std::exception_ptr thrown;
    try {
      co_await handler().handle(*x);
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) co_await answer_bug(handler(), *x, thrown);
    streams_.erase(id);
    exchanges().put(std::move(x));
    if (streams_.empty() && !reading_) end();
  }
  void close(gateway::ActiveExchange::Because because) {
    std::vector<gateway::ActiveExchange::Server> servers;
    for (auto& [id, exchange] : streams_) servers.push_back(exchange.end_early(because));
    const bool last = streams_.empty() && !reading_;
    const net::StreamPtr client = stream_;
    if (last) end();
    client->close();
    for (const auto& server : servers) server.cancel();
  }

  std::map<std::string, gateway::ActiveExchange> streams_;
  bool reading_ = true;
};

/// Answers 200 after as many seconds as the path says; a path "/bug" is one.
class Waiter final : public Handler {
 public:
  explicit Waiter(VirtualClock& clock) : clock_(clock) {}
  Task<void> handle(Exchange& x) override {
    if (x.request.path == "/bug") throw std::runtime_error("a bug");
    ++waiting;
    Wait wait(clock_, std::chrono::seconds(std::stoi(std::string(x.request.path.substr(1)))));
    co_await wait;
    --waiting;
    if (x.client_gone) ++given_up;
    if (x.broken_off == gateway::BrokenOff::drain) ++broken_off;
    http::Fields fields;
    http::ReplyStart start;
    start.fields = &fields;
    if (!x.client_gone) (void)co_await x.reply->send(start, {}, http::EndStream::yes);
  }
  void refused(Exchange&) override { ++bugs; }

  int waiting = 0;
  int given_up = 0;
  int broken_off = 0;
  int bugs = 0;

 private:
  VirtualClock& clock_;
};

Session* make_toy(Sessions& owner, net::ReadBuffer input, Peer peer) {
  return new ToySession(owner, std::move(input), std::move(peer));
}

class ToySessionTest : public net::test::Loop {
 protected:
  ~ToySessionTest() override {
    sessions_.close_all();
    clock_.advance(std::chrono::hours(1));
  }
  /// Whether it comes true.
  template <class Holds>
  bool comes(Holds&& holds) {
    const auto until = std::chrono::steady_clock::now() + net::test::seconds(10);
    while (!holds() && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(net::test::milliseconds(20));
    }
    return holds();
  }
  /// Whether the client hears just this.
  testing::AssertionResult hears(std::string_view expected) {
    std::string all;
    if (comes([&] { return (all += heard()).size() >= expected.size(); }) && all == expected)
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << '"' << all << '"';
  }
  bool waits(int count) {
    return comes([&] { return handler_.waiting == count; });
  }

  VirtualClock clock_;
  Waiter handler_{clock_};
  net::Blocks blocks_{{16UL * 1024, 4}, {64UL * 1024, 4}};
  Timeouts timeouts_;
  Bounds bounds_;
  Totals connections_;
  Sessions sessions_{handler_, clock_, blocks_, timeouts_, bounds_, connections_, &make_toy};
};

TEST_F(ToySessionTest, AnswersEachStreamWhenItIsReady) {
  sessions_.take(near_, std::make_shared<ListenerSettings>());
  say("1 /9\n2 /0\n3 /5\n");
  EXPECT_TRUE(hears("2 200\n")) << "while the others wait";
  EXPECT_TRUE(waits(2));
  clock_.advance(std::chrono::seconds(6));
  EXPECT_TRUE(hears("3 200\n"));
  say("4 /1\n");
  EXPECT_TRUE(waits(2));
  clock_.advance(std::chrono::seconds(6));
  EXPECT_TRUE(hears("4 200\n1 200\n"));
}

TEST_F(ToySessionTest, EndsOneStreamAndNoOther) {
  sessions_.take(near_, std::make_shared<ListenerSettings>());
  say("1 /9\n2 /9\n3 /0\n");
  EXPECT_TRUE(hears("3 200\n"));
  say("1 !\n4 /0\n");
  EXPECT_TRUE(hears("4 200\n"));
  clock_.advance(std::chrono::seconds(9));
  EXPECT_TRUE(hears("2 200\n"));
  EXPECT_EQ(handler_.given_up, 1);
}

TEST_F(ToySessionTest, TellsABugOfOneStreamAndGoesOnWithTheOthers) {
  sessions_.take(near_, std::make_shared<ListenerSettings>());
  say("1 /9\n2 /bug\n");
  EXPECT_TRUE(hears("2 500\n"));
  EXPECT_EQ(handler_.bugs, 1);
  clock_.advance(std::chrono::seconds(9));
  EXPECT_TRUE(hears("1 200\n"));
}

TEST_F(ToySessionTest, EndsAllStreamsOfAClientThatIsGone) {
  sessions_.take(near_, std::make_shared<ListenerSettings>());
  say("1 /9\n2 /9\n");
  EXPECT_TRUE(waits(2));
  far_.close();
  EXPECT_TRUE(comes([&] { return !near_->is_open(); }));
  clock_.advance(std::chrono::seconds(9));
  EXPECT_EQ(handler_.given_up, 2);
  EXPECT_EQ(handler_.broken_off, 0);
  EXPECT_TRUE(sessions_.empty());
  EXPECT_EQ(connections_.connections.load(), 0U);
}

TEST_F(ToySessionTest, IsBrokenOffWithAllItsStreamsByAWorkerThatWaitsNoLonger) {
  sessions_.take(near_, std::make_shared<ListenerSettings>());
  say("1 /9\n2 /9\n");
  EXPECT_TRUE(waits(2));
  sessions_.drain();
  EXPECT_FALSE(sessions_.empty()) << "what is under way is awaited";
  sessions_.close_all();
  clock_.advance(std::chrono::seconds(9));
  EXPECT_EQ(handler_.broken_off, 2);
  EXPECT_TRUE(comes([&] { return sessions_.empty(); }));
}

/// Goes on as a ToySession when it is told to.
class Before final : public Session {
 public:
  Before(Sessions& owner, net::ReadBuffer input, Peer peer) : Session(owner, std::move(input), std::move(peer)) {
    last = this;
  }
  void begin() override { wait_idle(patience()); }
  static inline Before* last = nullptr;
  static inline int made = 0;  ///< sessions of any kind

 private:
  void serve() override {
    last = nullptr;
    give_way(nullptr);
  }
};

Session* make_before_at_the_end(Sessions& owner, net::ReadBuffer input, Peer peer) {
  constexpr int kLookedAtInOneTurn = 256;
  if (Before::made++ != kLookedAtInOneTurn) return make_toy(owner, std::move(input), std::move(peer));
  return new Before(owner, std::move(input), std::move(peer));
}

TEST_F(ToySessionTest, IsNotSparedByTheEndOfItsAddressBecauseItWasAnotherBefore) {
  constexpr int kMany = 257;
  Before::made = 0;
  Sessions many(handler_, clock_, blocks_, timeouts_, bounds_, connections_, &make_before_at_the_end);
  many.join(loop_);
  boost::asio::basic_socket_acceptor<net::Tcp, net::Executor> acceptor(
      loop_, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  std::vector<net::Socket> clients;
  const auto listener = std::make_shared<ListenerSettings>();
  for (int i = 0; i < kMany; ++i) {
    clients.emplace_back(loop_.get_executor()).connect(acceptor.local_endpoint());
    net::Socket near(loop_.get_executor());
    acceptor.accept(near);
    many.take(net::StreamPtr(new net::Stream(std::move(near), timers_)), listener);
  }
  ASSERT_NE(Before::last, nullptr);
  ConnectionCall::Wanted wanted{.what = ConnectionCall::What::end_address};
  wanted.address = boost::asio::ip::address_v4::loopback();
  bool all = false;
  many.answer(std::make_shared<ConnectionCall>(std::move(wanted), [&all] { all = true; }));
  ASSERT_FALSE(all) << "it takes more than a turn of the loop";
  Before::last->drain();
  EXPECT_TRUE(run_until(all));
  EXPECT_TRUE(many.empty());
}

TEST_F(ToySessionTest, IsClosedWithoutAWordWhereItsProtocolHasNoneForTooMany) {
  bounds_.connections = 0;
  sessions_.use(timeouts_, bounds_);
  sessions_.take(near_, std::make_shared<ListenerSettings>());
  EXPECT_FALSE(near_->is_open());
  EXPECT_TRUE(sessions_.empty());
  EXPECT_EQ(connections_.connections.load(), 0U);
}

}  // namespace
}  // namespace headgate::session
