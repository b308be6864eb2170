#pragma once
// Requests that wait for a lease that another request is fetching.

#include "headgate/core/result.hpp"
#include "headgate/limit/leases.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <coroutine>
#include <memory>
#include <vector>

namespace headgate::redis {

class Waiters;

/// The wait of one request. It lives in the request's frame. Its destructor removes it from all lists.
class LeaseWaiter
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  LeaseWaiter(Waiters& waiters, limit::Leases::Id lease) : waiters_(waiters), lease_(lease) {}
  LeaseWaiter(const LeaseWaiter&) = delete;
  LeaseWaiter& operator=(const LeaseWaiter&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task);
  /// Returns the error if Redis did not answer.
  error_code await_resume() const noexcept { return why_; }

 private:
  friend class Waiters;
  Waiters& waiters_;
  limit::Leases::Id lease_;
  error_code why_;
  std::coroutine_handle<> task_;
};

/// All waiting requests of a limiter. Worker thread only. The waiting requests keep it alive.
class Waiters : public std::enable_shared_from_this<Waiters> {
 public:
  explicit Waiters(boost::asio::io_context& loop) : executor_(loop.get_executor()) {}

  /// Resumes the requests that wait for this lease, in a later turn of the loop, because the calling request may be in
  /// the middle of its destruction.
  void wake(limit::Leases::Id lease, error_code why);
  /// Resumes all waiting requests before it returns.
  void wake_all(error_code why);

 private:
  friend class LeaseWaiter;
  using List = boost::intrusive::list<LeaseWaiter, boost::intrusive::constant_time_size<false>>;

  void take(List& list, error_code why);
  void go_on();

  boost::asio::io_context::executor_type executor_;
  std::vector<List> waiting_;  ///< indexed by lease
  List woken_;
  bool posted_ = false;
};

}  // namespace headgate::redis
