#include "headgate/admin/connection_calls.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace headgate::admin {

/// Counts one call for as long as this object exists.
class ConnectionCalls::UnderWay {
 public:
  explicit UnderWay(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) {}
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { --*count_; }

 private:
  std::shared_ptr<std::atomic<int>> count_;
};

/// A call that waits for the workers. Main thread only, except `call`. The wait of the timer holds a reference to this
/// object, so the object does not outlive the loop.
struct ConnectionCalls::PendingCall {
  explicit PendingCall(boost::asio::io_context& loop) : timer(loop) {}

  void finish() {
    if (!tell) return;
    timer.cancel();
    call->give_up();
    std::exchange(tell, nullptr)(call->take());
  }

  boost::asio::steady_timer timer;
  std::shared_ptr<session::ConnectionCall> call;
  Tell tell;
  std::unique_ptr<UnderWay> under_way;
};

bool ConnectionCalls::ask(session::ConnectionCall::Wanted wanted, Tell tell) {
  if (++*under_way_ > kMaxCalls) {
    --*under_way_;
    return false;
  }
  auto under_way = std::make_unique<UnderWay>(under_way_);
  const auto asked = std::make_shared<PendingCall>(loop_);
  asked->under_way = std::move(under_way);
  asked->tell = std::move(tell);
  asked->call = std::make_shared<session::ConnectionCall>(std::move(wanted),
                                                          [&loop = loop_, weak = std::weak_ptr<PendingCall>(asked)] {
                                                            boost::asio::post(loop, [weak] {
                                                              if (const auto all = weak.lock()) all->finish();
                                                            });
                                                          });
  return operators_.on_main_thread([asked, patience = patience_, &totals = totals_] {
    asked->timer.expires_after(patience);
    asked->timer.async_wait([asked](const boost::system::error_code& ended) {
      if (!ended) asked->finish();
    });
    ask_workers(totals, asked->call);
  });
}

}  // namespace headgate::admin
