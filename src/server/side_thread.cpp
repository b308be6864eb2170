#include "side_thread.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace headgate::server {

struct SideThread::Queue::State {
  std::mutex mutex;
  std::condition_variable more;
  struct Task {
    std::function<void()> what;
    AtStop if_waiting;
  };
  std::deque<Task> waiting;
  bool stopped = false;
};

SideThread::Queue::Queue() : state_(std::make_unique<State>()) {}
SideThread::Queue::~Queue() = default;

bool SideThread::Queue::add(std::function<void()> what, AtStop if_waiting) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return false;
    state_->waiting.push_back({std::move(what), if_waiting});
  }
  state_->more.notify_one();
  return true;
}

/// Drops tasks. They are destroyed without the lock, because this may free objects, which calls this queue again.
void SideThread::Queue::stop() {
  std::vector<std::function<void()>> dropped;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    for (auto& each : state_->waiting)
      if (each.if_waiting == AtStop::drop) dropped.push_back(std::move(each.what));
    std::erase_if(state_->waiting, [](const State::Task& each) { return each.if_waiting == AtStop::drop; });
  }
  state_->more.notify_one();
}

void SideThread::Queue::work() {
  std::unique_lock lock(state_->mutex);
  while (true) {
    state_->more.wait(lock, [this] { return state_->stopped || !state_->waiting.empty(); });
    if (state_->waiting.empty()) return;
    {
      const auto what = std::move(state_->waiting.front().what);
      state_->waiting.pop_front();
      lock.unlock();
      what();
    }
    lock.lock();
  }
}

SideThread::SideThread() : queue_(std::make_shared<Queue>()), thread_([queue = queue_] { queue->work(); }) {}

void SideThread::stop() {
  queue_->stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace headgate::server
