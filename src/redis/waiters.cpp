#include "waiters.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace headgate::redis {

void LeaseWaiter::await_suspend(std::coroutine_handle<> task) {
  task_ = task;
  if (waiters_.waiting_.size() <= lease_) waiters_.waiting_.resize(std::size_t{lease_} + 1);
  waiters_.waiting_[lease_].push_back(*this);
}

void Waiters::wake(limit::Leases::Id lease, error_code why) {
  if (lease < waiting_.size()) take(waiting_[lease], why);
}

void Waiters::wake_all(error_code why) {
  for (auto& list : waiting_) take(list, why);
  go_on();
}

void Waiters::take(List& list, error_code why) {
  if (list.empty()) return;
  for (auto& waiter : list) waiter.why_ = why;
  woken_.splice(woken_.end(), list);
  if (std::exchange(posted_, true)) return;
  boost::asio::post(executor_, [self = shared_from_this()] { self->go_on(); });
}

void Waiters::go_on() {
  posted_ = false;
  List now = std::exchange(woken_, List());
  while (!now.empty()) {
    LeaseWaiter& waiter = now.front();
    waiter.unlink();
    waiter.task_.resume();  // must be the last use of the waiter
  }
}

}  // namespace headgate::redis
