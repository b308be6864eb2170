#include "request_window.hpp"

#include <algorithm>
#include <utility>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kFirstSize = 1024;

bool later(const HeldRequest& a, const HeldRequest& b) noexcept { return b.before(a); }

}  // namespace

void RequestWindow::push(const HeldRequest& request) {
  if (count_ > 0 && request.before(line_[(at_ + count_ - 1) & (line_.size() - 1)])) {
    heap_.push_back(request);
    std::push_heap(heap_.begin(), heap_.end(), later);
    return;
  }
  if (count_ == line_.size()) grow();
  line_[(at_ + count_) & (line_.size() - 1)] = request;
  ++count_;
}

void RequestWindow::pop() noexcept {
  if (line_first()) {
    at_ = (at_ + 1) & (line_.size() - 1);
    --count_;
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
}

void RequestWindow::grow() {
  std::vector<HeldRequest> larger(std::max(kFirstSize, line_.size() * 2));
  for (std::size_t i = 0; i < count_; ++i) larger[i] = line_[(at_ + i) & (line_.size() - 1)];
  line_ = std::move(larger);
  at_ = 0;
}

}  // namespace headgate::access_logs
