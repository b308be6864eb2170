#include "log_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace headgate::access_logs {

LogSource::LogSource(std::string file, std::size_t number, LogInput input, std::string looked, LineReader& reader,
                     bool header, RequestBlocks& pool, ReadCounts& counts, std::size_t unread_kept)
    : file_(std::move(file)),
      number_(number),
      input_(std::move(input)),
      looked_(std::move(looked)),
      reader_(reader),
      header_(header),
      pool_(pool),
      counts_(counts),
      unread_kept_(unread_kept),
      block_(&pool.take()) {}

LogSource::~LogSource() { pool_.release(*block_); }

bool LogSource::read() {
  for (;;) {
    char* const begin = block_->bytes.data() + at_;
    auto* const found = static_cast<char*>(std::memchr(begin, '\n', filled_ - at_));
    if (found == nullptr && !ended_) {
      if (filled_ - at_ > kLongest) {
        too_long_ = true;
        at_ = filled_;
      }
      if (!fill()) ended_ = true;
      continue;
    }
    char* const end = found == nullptr ? block_->bytes.data() + filled_ : found;
    if (found == nullptr && begin == end && !too_long_) {
      if (!input_.failure().empty()) unread(input_.failure().c_str());
      return false;
    }
    at_ = static_cast<std::size_t>(end - block_->bytes.data()) + (found == nullptr ? 0 : 1);
    ++line_;
    if (take_line(begin, end)) return true;
  }
}

/// Reads the line. Returns whether it is a request.
bool LogSource::take_line(char* begin, char* end) {
  while (end != begin && end[-1] == '\r') --end;
  if (line_ == 1 && std::string_view(begin, static_cast<std::size_t>(end - begin)).starts_with(kByteOrderMark))
    begin += kByteOrderMark.size();
  if (std::exchange(too_long_, false) || end - begin > static_cast<std::ptrdiff_t>(kLongest)) {
    ++counts_.lines;
    unread("the line is longer than 64 KiB");
    return false;
  }
  if (std::all_of(begin, end, [](char c) { return c == ' '; })) return false;
  ++counts_.lines;
  if (header_) {
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (header_line_.empty()) header_line_ = line;
    if (line == header_line_) {  // the header line may also be in the middle of a log, where files were joined
      --counts_.lines;
      return false;
    }
  }
  switch (reader_.read(begin, end, *block_, counts_.missing)) {
    case LineReader::Outcome::request:
      written_ = std::max(written_, block_->requests.back().written);
      return true;
    case LineReader::Outcome::untold_call:
      ++counts_.untold_calls;
      return false;
    case LineReader::Outcome::no_request:
      ++counts_.no_request;
      return false;
    case LineReader::Outcome::unread:
      unread(reader_.why());
      return false;
  }
  return false;
}

void LogSource::unread(const char* why) {
  ++counts_.unread;
  if (counts_.first_unread.size() < unread_kept_) counts_.first_unread.push_back({file_, line_, why});
}

/// Reads more bytes; false if there are none.
bool LogSource::fill() {
  if (filled_ == RequestBlock::kBytes) renew_block();
  char* const to = block_->bytes.data() + filled_;
  auto size = RequestBlock::kBytes - filled_;
  if (looked_at_ < looked_.size()) {
    size = std::min(size, looked_.size() - looked_at_);
    std::memcpy(to, looked_.data() + looked_at_, size);
    looked_at_ += size;
    if (looked_at_ == looked_.size()) {
      looked_ = {};
      looked_at_ = 0;
    }
  } else {
    size = input_.read(to, size);
  }
  filled_ += size;
  return size > 0;
}

/// Continues in another block, which starts with the incomplete line of this one.
void LogSource::renew_block() {
  auto& next = pool_.take();
  filled_ -= at_;
  std::memcpy(next.bytes.data(), block_->bytes.data() + at_, filled_);
  at_ = 0;
  pool_.release(*block_);
  block_ = &next;
}

}  // namespace headgate::access_logs
