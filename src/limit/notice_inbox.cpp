#include "headgate/limit/notice.hpp"

#include <utility>

namespace headgate::limit {

void NoticeInbox::use(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

bool NoticeInbox::put(Notice notice) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= bound_) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  waiting_.push_back(std::move(notice));
  if (wake_) wake_();
  return true;
}

std::vector<Notice> NoticeInbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

}  // namespace headgate::limit
