#include "headgate/keyring/schedule.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::keyring {
namespace {

/// More than any realistic lifetime, and far from an overflow of microseconds.
constexpr std::int64_t kMaxSeconds = 10LL * 365 * 24 * 3600;

/// Parses delta-seconds (RFC 9111 section 1.2.2). A number too large to parse counts as kMaxSeconds.
std::optional<std::int64_t> seconds(std::string_view text) noexcept {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::min(value, kMaxSeconds) : kMaxSeconds;
}

Duration shortened(Duration wait, double dice) noexcept {
  return wait - Duration(static_cast<Duration::rep>(static_cast<double>(wait.count()) * 0.1 * dice));
}

}  // namespace

std::optional<Duration> lifetime(std::string_view cache_control, std::string_view age) noexcept {
  while (!cache_control.empty()) {
    const auto comma = std::min(cache_control.find(','), cache_control.size());
    const auto directive = trimmed(cache_control.substr(0, comma));
    cache_control.remove_prefix(std::min(comma + 1, cache_control.size()));
    const auto equals = directive.find('=');
    if (equals == directive.npos || !same_word(directive.substr(0, equals), "max-age")) continue;
    const auto life = seconds(directive.substr(equals + 1));
    if (!life) return std::nullopt;
    return std::chrono::seconds(std::max<std::int64_t>(0, *life - seconds(trimmed(age)).value_or(0)));
  }
  return std::nullopt;
}

Schedule::Schedule(Duration refresh, Duration refetch, const RefreshPolicy& policy) noexcept
    : refresh_(refresh), refetch_(refetch), policy_(policy), retry_(policy.first_retry) {}

void Schedule::began(Time now) noexcept {
  began_ = now;
  wanted_ = false;
}

void Schedule::succeeded(Time now, std::optional<Duration> lifetime, double dice) noexcept {
  const auto wait = lifetime ? std::clamp(*lifetime, policy_.shortest_life, policy_.longest_life) : refresh_;
  due_ = now + shortened(wait, dice);
  retry_ = policy_.first_retry;
  failures_ = 0;
}

void Schedule::failed(Time now, double dice) noexcept {
  due_ = now + shortened(retry_, dice);
  retry_ = std::min(2 * retry_, policy_.longest_retry);
  ++failures_;
}

Schedule::Time Schedule::next() const noexcept {
  // While fetches from an issuer fail, tokens of callers cause no additional fetches.
  if (!wanted_ || failures_ > 0 || !began_) return due_;
  return std::min(due_, *began_ + refetch_);
}

}  // namespace headgate::keyring
