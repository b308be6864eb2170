#include "headgate/observe/span_log.hpp"

#include "observe/log/lane.hpp"
#include "span_text.hpp"

#include <charconv>

namespace headgate::observe {

SpanQueue::SpanQueue() = default;
SpanQueue::~SpanQueue() = default;

Lane& SpanQueue::lane() {
  const std::lock_guard lock(mutex_);
  return *lanes_.emplace_back(std::make_unique<Lane>());
}

// Takes spans from the lanes. Each line in a lane has the number of its spans, a blank, and the spans.
std::size_t SpanQueue::take(std::size_t most, std::string& out) {
  const std::lock_guard lock(mutex_);
  const auto bound = out.size() + most;
  std::size_t taken = 0;
  for (std::size_t empty = 0; empty < lanes_.size();) {
    auto& lane = *lanes_[turn_ % lanes_.size()];
    const auto text = lane.front();
    const auto line = text.substr(0, text.find('\n'));
    std::size_t count = 0;
    const auto* const blank = std::from_chars(line.data(), line.data() + line.size(), count).ptr;
    const auto spans = line.substr(std::min(static_cast<std::size_t>(blank - line.data()) + 1, line.size()));
    if (text.empty()) {
      ++empty;
      ++turn_;
      continue;
    }
    if (out.size() + spans.size() + 1 > bound) break;
    if (taken > 0) out += ',';
    out += spans;
    taken += count;
    lane.pop(line.size() + 1);
    empty = 0;
  }
  return taken;
}

static_assert(SpanQueue::kMaxQueued == Lane::kBlock * Lane::kBlocks);

std::size_t SpanQueue::fullest() const {
  const std::lock_guard lock(mutex_);
  std::size_t out = 0;
  for (const auto& lane : lanes_) out = std::max(out, lane->waiting());
  return out;
}

void SpanLog::write(const ExchangeSpans& spans) {
  if (lane_ == nullptr) lane_ = &queue_.lane();
  line_ = std::to_string(1 + spans.decisions.size() + spans.attempts.size()) + ' ';
  const auto count = append_spans(spans, line_);
  line_ += '\n';
  if (lane_->push(line_) == Lane::Pushed::dropped) queue_.dropped_.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace headgate::observe
