#include "side_thread.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace headgate::server {

struct SideThread::Queue::State {
  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::function<void()>> waiting;
  bool stopped = false;
};

SideThread::Queue::Queue() : state_(std::make_unique<State>()) {}
SideThread::Queue::~Queue() = default;

bool SideThread::Queue::run(std::function<void()> what) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return false;
    state_->waiting.push_back(std::move(what));
  }
  state_->more.notify_one();
  return true;
}

void SideThread::Queue::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
  }
  state_->more.notify_one();
}

void SideThread::Queue::work() {
  std::unique_lock lock(state_->mutex);
  while (true) {
    state_->more.wait(lock, [this] { return state_->stopped || !state_->waiting.empty(); });
    if (state_->waiting.empty()) return;
    {
      const auto what = std::exchange(state_->waiting.front(), {});
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
