#include "log_entry.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/redis/shared_log.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace headgate::redis {
namespace {

constexpr int kNumberBits = 22;
constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << kNumberBits) - 1;
constexpr std::uint64_t kMaxMilliseconds = (std::uint64_t{1} << (64 - kNumberBits)) - 1;
constexpr std::int64_t kMaxRedisTime = std::int64_t{1} << 53;  // the largest integer that Lua represents exactly
constexpr std::size_t kMaxPosition = 128;

/// Removes the time before the next space from the front of `text`.
bool take_time(std::string_view& text, Duration& time) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return false;
  const auto count = whole_number(text.substr(0, space), -kMaxRedisTime, kMaxRedisTime);
  if (!count) return false;
  time = Duration(*count);
  text.remove_prefix(space + 1);
  return true;
}
bool take_span(std::string_view& text, Duration& time) {
  return take_time(text, time) && time <= RedisSharedLog::kLongest && time >= -RedisSharedLog::kLongest;
}

/// Subtracts without an overflow, even for the most distant instants.
Duration between(Instant from, Instant to) {
  const Instant cut = std::clamp(from, to - RedisSharedLog::kLongest, to + RedisSharedLog::kLongest);
  return to - cut;
}

}  // namespace

std::optional<StreamId> read_stream_id(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto milliseconds = whole_number<std::uint64_t>(text.substr(0, dash));
  const auto number = whole_number<std::uint64_t>(text.substr(dash + 1));
  if (!milliseconds || !number) return std::nullopt;
  return StreamId{*milliseconds, *number};
}

std::uint64_t version_of(const StreamId& id) noexcept {
  return (std::min(id.milliseconds, kMaxMilliseconds) << kNumberBits) | std::min(id.number, kMaxNumber);
}

StreamId id_of(std::uint64_t version) noexcept {
  return {.milliseconds = version >> kNumberBits, .number = version & kMaxNumber};
}

StreamId id_above(std::uint64_t version) noexcept {
  return id_of(version == std::numeric_limits<std::uint64_t>::max() ? version : version + 1);
}

std::string text_of(const LogPosition& position) {
  return position.id.empty() ? std::string() : position.id + " " + position.digest;
}

LogPosition read_log_position(std::string_view text) {
  const auto space = text.find(' ');
  if (text.size() > kMaxPosition || space == std::string_view::npos || !read_stream_id(text.substr(0, space)))
    return {};
  return {.id = std::string(text.substr(0, space)), .digest = std::string(text.substr(space + 1))};
}

Duration rest_of(const limit::LogEntry& entry, Instant now) { return -between(entry.until, now); }

std::string write_entry(const limit::LogEntry& entry, Instant now) {
  return std::to_string(between(entry.since, now).count()).append(" ").append(entry.text);
}

std::optional<limit::LogEntry> read_entry(std::string_view text, const TwoClocks& clocks) {
  Duration at;
  Duration lasts;
  Duration age;
  if (!take_time(text, at) || at <= Duration(0) || !take_span(text, lasts) || !take_span(text, age))
    return std::nullopt;
  // A negative time counts as zero, because the entry must not last longer if the clock was set back.
  const Duration passed = std::max(Duration(0), Duration(clocks.redis) - at);
  return limit::LogEntry{
      .since = clocks.here - passed - age, .until = clocks.here - passed + lasts, .text = std::string(text)};
}

}  // namespace headgate::redis
