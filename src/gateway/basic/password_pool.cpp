#include "headgate/gateway/basic/password_pool.hpp"

#include "headgate/identity/basic_credentials.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace headgate::gateway {
namespace {

constexpr unsigned kMaxPasswordThreads = 4;
/// Threads of the pool have a lower priority than the workers: this is added to their nice value.
constexpr int kNicer = 5;

unsigned threads_for(unsigned wanted) noexcept {
  if (wanted > 0) return wanted;
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, kMaxPasswordThreads);
}

}  // namespace

void PasswordInbox::put(std::shared_ptr<PasswordCheck> done) {
  const std::lock_guard lock(mutex_);
  if (!bell_) return;
  done_.push_back(std::move(done));
  bell_->ring();
}

std::vector<std::shared_ptr<PasswordCheck>> PasswordInbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

void PasswordInbox::close() {
  const std::lock_guard lock(mutex_);
  bell_.reset();
  done_.clear();
}

PasswordPool::PasswordPool(const Clock& clock, unsigned threads) : clock_(clock), max_threads_(threads_for(threads)) {}

PasswordPool::~PasswordPool() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    while (auto* const next = waiting_.next()) {
      waiting_.remove(*next);
      const auto forgotten = std::move(static_cast<PasswordCheck*>(next)->self);
    }
  }
  came_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool PasswordPool::ask(const std::shared_ptr<PasswordCheck>& check) {
  std::shared_ptr<PasswordCheck> leaves;
  {
    const std::lock_guard lock(mutex_);
    if (under_way_ + waiting_.size() >= threads_.size() && threads_.size() < max_threads_) begin_another();
    if (threads_.empty()) return false;
    auto* const out = waiting_.push(*check);
    if (out == check.get()) return false;
    if (out != nullptr) leaves = std::move(static_cast<PasswordCheck*>(out)->self);
    check->self = check;
  }
  came_.notify_one();
  if (leaves) {
    const auto to = leaves->to;
    to->put(std::move(leaves));
  }
  return true;
}

bool PasswordPool::drop(PasswordCheck& check) noexcept {
  std::shared_ptr<PasswordCheck> forgotten;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  if (!check.queued) return false;
  waiting_.remove(check);
  forgotten = std::move(check.self);
  return true;
}

Duration PasswordPool::wait() const {
  const std::lock_guard lock(mutex_);
  const auto before = static_cast<std::int64_t>(waiting_.size() + under_way_);
  return usual_ * before / static_cast<std::int64_t>(std::max<std::size_t>(threads_.size(), 1));
}

PasswordPool::Counts PasswordPool::counts() const {
  const std::lock_guard lock(mutex_);
  return {.waiting = waiting_.size(), .checked = checked_, .took = took_};
}

/// Starts another thread. The caller holds the lock. If no thread can be started, the existing ones do the work.
void PasswordPool::begin_another() {
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    return;
  }
}

void PasswordPool::run() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNicer);
  std::unique_lock lock(mutex_);
  while (true) {
    came_.wait(lock, [this] { return over_ || !waiting_.empty(); });
    if (over_) return;
    auto* const next = waiting_.next();
    if (next == nullptr) continue;
    waiting_.serve(*next);
    auto check = std::move(static_cast<PasswordCheck*>(next)->self);
    ++under_way_;
    lock.unlock();
    const auto since = clock_.steady();
    try {
      check->right = identity::is_password(check->password, check->hash);
    } catch (const std::bad_alloc&) {
      // without memory, the password counts as neither right nor wrong, as if the check had been dropped from the queue
      check->right.reset();
    }
    const auto took = std::chrono::duration_cast<Duration>(clock_.steady() - since);
    check->password = {};
    lock.lock();
    --under_way_;
    ++checked_;
    took_ += took;
    usual_ = usual_ == Duration(0) ? took : (usual_ * 7 + took) / 8;
    lock.unlock();
    const auto to = check->to;
    to->put(std::move(check));
    lock.lock();
  }
}

}  // namespace headgate::gateway
