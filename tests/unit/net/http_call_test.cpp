// What one request of our own says where its time is over.

#include "headgate/net/http_call.hpp"

#include "unit/net/loop.hpp"

#include <thread>

namespace headgate::net {
namespace {

class HttpCallTest : public test::Loop {
 protected:
  HttpCallTest() : acceptor_(loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {}

  void begin(test::milliseconds deadline) {
    HttpRequest request;
    request.url = {
        .scheme = Scheme::http, .host = "127.0.0.1", .port = acceptor_.local_endpoint().port(), .target = "/"};
    request.deadline = deadline;
    call_ = HttpCall::start(loop_, std::move(request), [this](const HttpResult& result) {
      said_ = result.has_error() ? result.error() : "an answer";
      done_ = true;
    });
  }

  boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor_;
  std::shared_ptr<HttpCall> call_;
  std::string said_;
  bool done_ = false;
};

TEST_F(HttpCallTest, SaysThatItsTimeIsOverAlsoWhereAllItsTimersAreDueAtOnce) {
  begin(test::seconds(1));
  bool connected = false;
  Socket there(loop_.get_executor());
  acceptor_.async_accept(there, [&](const error_code& ec) { connected = !ec; });
  ASSERT_TRUE(run_until(connected));
  loop_.restart();
  while (loop_.poll_one() > 0) loop_.restart();           // it waits for the answer now
  std::this_thread::sleep_for(test::milliseconds(1200));  // as a machine does that has no time for this process
  ASSERT_TRUE(run_until(done_));
  EXPECT_EQ(said_, "not done within 1s: still waiting for its answer");
}

}  // namespace
}  // namespace headgate::net
