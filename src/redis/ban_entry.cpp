#include "ban_entry.hpp"

#include "headgate/redis/ban_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>

namespace headgate::redis {
namespace {

constexpr int kNumberBits = 22;
constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << kNumberBits) - 1;
constexpr std::uint64_t kMaxMilliseconds = (std::uint64_t{1} << (64 - kNumberBits)) - 1;
constexpr std::int64_t kMaxRedisTime = std::int64_t{1} << 53;  // Lua counts no further
constexpr std::size_t kMaxPosition = 128;

struct ReasonWord {
  limit::BanReason reason;
  std::string_view word;
};
constexpr std::array kReasonWords{
    ReasonWord{limit::BanReason::rejections, "rejections"},
    ReasonWord{limit::BanReason::statuses, "statuses"},
    ReasonWord{limit::BanReason::operated, "operated"},
};

std::string_view word_of(limit::BanReason reason) {
  for (const auto& each : kReasonWords)
    if (each.reason == reason) return each.word;
  return "operated";
}

template <class Number>
bool take_number(std::string_view text, Number& number) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc() && end == text.data() + text.size();
}

bool take_time(std::string_view text, std::int64_t most, Duration& time) {
  std::int64_t count = 0;
  if (!take_number(text, count) || count > most || count < -most) return false;
  time = Duration(count);
  return true;
}

bool take_flag(std::string_view text, bool& flag) {
  flag = text == "1";
  return flag || text == "0";
}

bool take_reason(std::string_view text, limit::BanReason& reason) {
  for (const auto& each : kReasonWords) {
    if (each.word != text) continue;
    reason = each.reason;
    return true;
  }
  return false;
}

/// The fields of an entry as they come.
struct Fields {
  limit::Ban ban;
  Duration at{};     ///< Redis time when it was appended
  Duration age{};    ///< from its beginning until then
  Duration lasts{};  ///< from then until its end

  bool take(std::string_view name, std::string_view value) {
    constexpr auto kMax = BanLog::kLongest.count();
    if (name == "limit") {
      ban.limit = value;
      return !value.empty() && value.size() <= BanLog::kMaxName;
    }
    if (name == "key") {
      ban.key = value;
      return value.size() <= BanLog::kMaxName;
    }
    if (name == "at") return take_time(value, kMaxRedisTime, at) && at.count() > 0;
    if (name == "age") return take_time(value, kMax, age);
    if (name == "lasts") return take_time(value, kMax, lasts);
    if (name == "level") return take_number(value, ban.level);
    if (name == "reason") return take_reason(value, ban.reason);
    if (name == "lifted") return take_flag(value, ban.lifted);
    return name != "observed" || take_flag(value, ban.observed);
  }
};

/// Without an overflow, whatever the instants are.
Duration between(Instant from, Instant to) {
  const Instant cut = std::clamp(from, to - BanLog::kLongest, to + BanLog::kLongest);
  return to - cut;
}

}  // namespace

std::optional<StreamId> read_stream_id(std::string_view text) {
  const auto dash = text.find('-');
  StreamId id;
  if (dash == std::string_view::npos || !take_number(text.substr(0, dash), id.milliseconds) ||
      !take_number(text.substr(dash + 1), id.number))
    return std::nullopt;
  return id;
}

std::uint64_t version_of(const StreamId& id) noexcept {
  return (std::min(id.milliseconds, kMaxMilliseconds) << kNumberBits) | std::min(id.number, kMaxNumber);
}

StreamId id_above(std::uint64_t version) noexcept {
  const std::uint64_t next = version == std::numeric_limits<std::uint64_t>::max() ? version : version + 1;
  return {.milliseconds = next >> kNumberBits, .number = next & kMaxNumber};
}

std::string text_of(const LogPosition& position) {
  return position.id.empty() ? std::string() : position.id + " " + position.mark;
}

LogPosition read_log_position(std::string_view text) {
  const auto space = text.find(' ');
  if (text.size() > kMaxPosition || space == std::string_view::npos || !read_stream_id(text.substr(0, space)))
    return {};
  return {.id = std::string(text.substr(0, space)), .mark = std::string(text.substr(space + 1))};
}

Duration rest_of(const limit::Ban& ban, Instant now) { return -between(ban.until, now); }

void write_entry(const limit::Ban& ban, Instant now, std::string_view mark, std::vector<std::string>& out) {
  const auto add = [&](std::string_view name, std::string_view value) {
    out.emplace_back(name);
    out.emplace_back(value);
  };
  add("limit", ban.limit);
  add("key", ban.key);
  add("age", std::to_string(between(ban.since, now).count()));
  add("lasts", std::to_string(rest_of(ban, now).count()));
  add("level", std::to_string(ban.level));
  add("reason", word_of(ban.reason));
  add("lifted", ban.lifted ? "1" : "0");
  add("observed", ban.observed ? "1" : "0");
  add("mark", mark);
}

std::optional<limit::Ban> read_entry(std::span<const Reply::Element> fields, const TwoClocks& clocks) {
  Fields entry;
  if (fields.empty() || fields.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < fields.size(); i += 2) {
    if (fields[i].kind != Reply::Kind::text || fields[i + 1].kind != Reply::Kind::text ||
        !entry.take(fields[i].text, fields[i + 1].text))
      return std::nullopt;
  }
  if (entry.ban.limit.empty() || entry.at == Duration(0)) return std::nullopt;
  // Not below zero: a clock that was set back must not make it longer.
  const Duration passed = std::max(Duration(0), Duration(clocks.redis) - entry.at);
  entry.ban.since = clocks.here - passed - entry.age;
  entry.ban.until = clocks.here - passed + entry.lasts;
  return std::move(entry.ban);
}

}  // namespace headgate::redis
