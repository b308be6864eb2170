#include "headgate/observe/recent_lines.hpp"

namespace headgate::observe {
namespace {

constexpr std::size_t kPiece = 64UL * 1024;
constexpr auto kSpan = std::chrono::seconds(1);

}  // namespace

void RecentLines::add(std::string_view bytes, Instant now) {
  const std::lock_guard lock(mutex_);
  if (pieces_.empty() || pieces_.back().bytes.size() >= kPiece || now - pieces_.back().begun >= kSpan)
    pieces_.push_back({now, {}});
  pieces_.back().bytes += bytes;
  size_ += bytes.size();
  forget(now);
}

void RecentLines::forget(Instant now) {
  while (!pieces_.empty() && (size_ > kMax || now - pieces_.front().begun > kMaxAge)) {
    size_ -= pieces_.front().bytes.size();
    pieces_.pop_front();
    cut_ = true;
  }
}

std::string RecentLines::text(Instant now) {
  const std::lock_guard lock(mutex_);
  forget(now);
  std::string out;
  out.reserve(size_);
  for (const auto& each : pieces_) out += each.bytes;
  if (cut_) out.erase(0, out.find('\n') == std::string::npos ? out.size() : out.find('\n') + 1);
  return out;
}

}  // namespace headgate::observe
