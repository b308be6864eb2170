#include "log_merge.hpp"

#include <algorithm>

namespace headgate::access_logs {

LogMerge::LogMerge(std::vector<PendingLog> logs, RequestBlocks& pool, ReadCounts& counts, std::size_t unread_kept)
    : logs_(std::move(logs)), pool_(pool), counts_(counts), unread_kept_(unread_kept) {}

bool LogMerge::later(const std::unique_ptr<LogSource>& a, const std::unique_ptr<LogSource>& b) noexcept {
  return a->written() != b->written() ? a->written() > b->written() : a->number() > b->number();
}

LogSource* LogMerge::next() {
  if (given_) put_back();
  while (pending_ < logs_.size() && (open_.empty() || logs_[pending_].written <= open_.front()->written())) {
    open(logs_[pending_], pending_);
    ++pending_;
  }
  given_ = !open_.empty();
  return given_ ? open_.front().get() : nullptr;
}

/// Reads the next request of the log whose request was returned last.
void LogMerge::put_back() {
  given_ = false;
  auto& first = open_.front();
  if (first->read()) {
    if (open_.size() == 1) return;
    std::pop_heap(open_.begin(), open_.end(), later);
    std::push_heap(open_.begin(), open_.end(), later);
    return;
  }
  closed_bytes_ += first->bytes_read();
  std::pop_heap(open_.begin(), open_.end(), later);
  open_.pop_back();
}

void LogMerge::open(PendingLog& log, std::size_t number) {
  if (!log.input) {
    auto opened = LogInput::open(log.file);
    if (opened.has_error()) {
      ++counts_.unread;
      if (counts_.first_unread.size() < unread_kept_)
        counts_.first_unread.push_back({log.file, 0, "it could be read a moment ago, but no more"});
      return;
    }
    log.input = std::move(*opened);
  }
  auto source = std::make_unique<LogSource>(log.file, number, std::move(*log.input), std::move(log.looked), *log.reader,
                                            log.format->kind == LineKind::csv, pool_, counts_, unread_kept_);
  log.input.reset();
  if (!source->read()) {
    closed_bytes_ += source->bytes_read();
    return;
  }
  open_.push_back(std::move(source));
  std::push_heap(open_.begin(), open_.end(), later);
}

std::uint64_t LogMerge::bytes_read() const noexcept {
  auto out = closed_bytes_;
  for (const auto& source : open_) out += source->bytes_read();
  return out;
}

}  // namespace headgate::access_logs
