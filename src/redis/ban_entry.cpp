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

/// Takes words off the front of a text.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// The word before the next space; empty if there is none.
  std::string_view next() {
    const auto space = rest_.find(' ');
    if (space == std::string_view::npos) return {};
    const auto word = rest_.substr(0, space);
    rest_.remove_prefix(space + 1);
    return word;
  }
  template <class Number>
  bool number(Number& number) {
    return take_number(next(), number);
  }
  bool time(Duration& time) {
    std::int64_t count = 0;
    if (!number(count) || count > kMaxRedisTime || count < -kMaxRedisTime) return false;
    time = Duration(count);
    return true;
  }
  bool span(Duration& time) { return this->time(time) && time <= BanLog::kLongest && time >= -BanLog::kLongest; }
  bool flag(bool& flag) {
    const auto word = next();
    flag = word == "1";
    return flag || word == "0";
  }
  bool reason(limit::BanReason& reason) {
    const auto word = next();
    for (const auto& each : kReasonWords) {
      if (each.word != word) continue;
      reason = each.reason;
      return true;
    }
    return false;
  }
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
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
  return position.id.empty() ? std::string() : position.id + " " + position.digest;
}

LogPosition read_log_position(std::string_view text) {
  const auto space = text.find(' ');
  if (text.size() > kMaxPosition || space == std::string_view::npos || !read_stream_id(text.substr(0, space)))
    return {};
  return {.id = std::string(text.substr(0, space)), .digest = std::string(text.substr(space + 1))};
}

Duration rest_of(const limit::Ban& ban, Instant now) { return -between(ban.until, now); }

std::string write_entry(const limit::Ban& ban, Instant now) {
  std::string text = std::to_string(between(ban.since, now).count());
  const auto add = [&](std::string_view word) {
    text += ' ';
    text += word;
  };
  add(std::to_string(ban.level));
  add(word_of(ban.reason));
  add(ban.lifted ? "1" : "0");
  add(ban.observed ? "1" : "0");
  add(std::to_string(ban.limit.size()));
  add(ban.limit);
  text += ban.key;
  return text;
}

std::optional<limit::Ban> read_entry(std::string_view text, const TwoClocks& clocks) {
  Words words(text);
  limit::Ban ban;
  Duration at;
  Duration lasts;
  Duration age;
  std::size_t name = 0;
  if (!words.time(at) || at <= Duration(0) || !words.span(lasts) || !words.span(age) || !words.number(ban.level) ||
      !words.reason(ban.reason) || !words.flag(ban.lifted) || !words.flag(ban.observed) || !words.number(name))
    return std::nullopt;
  const auto rest = words.rest();
  if (name == 0 || name > BanLog::kMaxName || name > rest.size() || rest.size() - name > BanLog::kMaxName)
    return std::nullopt;
  ban.limit = rest.substr(0, name);
  ban.key = rest.substr(name);
  // Not below zero: a clock that was set back must not make it longer.
  const Duration passed = std::max(Duration(0), Duration(clocks.redis) - at);
  ban.since = clocks.here - passed - age;
  ban.until = clocks.here - passed + lasts;
  return ban;
}

}  // namespace headgate::redis
