#include "without_usage_chunk.hpp"

namespace headgate::gateway {
namespace {

/// The longest event that can be such a chunk: they have about 500 bytes.
constexpr std::size_t kLongestChunk = 4'096;

/// Returns the text behind the member with this name, given in its quotes, without white space; "" if there is none. In
/// a text value the quotes would be escaped, so they only stand around names and whole values.
std::string_view behind_member(std::string_view json, std::string_view name) noexcept {
  const auto at = json.find(name);
  if (at == json.npos) return {};
  json.remove_prefix(at + name.size());
  const auto colon = json.find_first_not_of(" \t");
  if (colon == json.npos || json[colon] != ':') return {};
  const auto value = json.find_first_not_of(" \t", colon + 1);
  return value == json.npos ? std::string_view{} : json.substr(value);
}

}  // namespace

bool is_usage_chunk(std::string_view event) noexcept {
  auto choices = behind_member(event, R"("choices")");
  if (!choices.starts_with('[')) return false;
  choices.remove_prefix(1);
  const auto end = choices.find_first_not_of(" \t");
  return end != choices.npos && choices[end] == ']' && behind_member(event, R"("usage")").starts_with('{');
}

Task<Result<std::string_view>> WithoutUsageChunk::read() {
  while (true) {
    const auto bytes = passed(co_await from_.read());
    if (bytes.has_error() || !bytes->empty() || from_.ended()) co_return bytes;
  }
}

Result<std::string_view> WithoutUsageChunk::passed(const Result<std::string_view>& bytes) {
  if (bytes.has_error()) return bytes;
  out_.clear();
  take(*bytes);
  if (from_.ended()) end_event();
  return std::string_view(out_);
}

void WithoutUsageChunk::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto line = bytes.substr(0, end == bytes.npos ? end : end + 1);
    bytes.remove_prefix(line.size());
    (long_event_ ? out_ : event_) += line;
    if (!line.ends_with('\n')) {
      in_line_ += line.size() - (line.ends_with('\r') ? 1 : 0);
    } else {
      const bool blank = in_line_ == 0 && (line == "\n" || line == "\r\n");
      in_line_ = 0;
      if (blank) end_event();
    }
    if (event_.size() <= kLongestChunk) continue;
    out_ += event_;
    event_.clear();
    long_event_ = true;
  }
}

void WithoutUsageChunk::end_event() {
  if (!is_usage_chunk(event_)) out_ += event_;
  event_.clear();
  long_event_ = false;
}

}  // namespace headgate::gateway
