#include "headgate/keyring/schedule.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace headgate::keyring {
namespace {

/// More than anybody keeps anything, and far from where microseconds overflow.
constexpr std::int64_t kMostSeconds = 10LL * 365 * 24 * 3600;

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// delta-seconds (RFC 9111 section 1.2.2): what is too large to count is a very long time.
std::optional<std::int64_t> seconds(std::string_view text) noexcept {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::min(value, kMostSeconds) : kMostSeconds;
}

bool same_word(std::string_view word, std::string_view lower) noexcept {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
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

Schedule::Schedule(Duration refresh, Duration refetch, const Pace& pace) noexcept
    : refresh_(refresh), refetch_(refetch), pace_(pace), retry_(pace.first_retry) {}

void Schedule::began(Time now) noexcept {
  began_ = now;
  wanted_ = false;
}

void Schedule::succeeded(Time now, std::optional<Duration> lifetime, double dice) noexcept {
  const auto wait = lifetime ? std::clamp(*lifetime, pace_.shortest_life, pace_.longest_life) : refresh_;
  due_ = now + shortened(wait, dice);
  retry_ = pace_.first_retry;
  failures_ = 0;
}

void Schedule::failed(Time now, double dice) noexcept {
  due_ = now + shortened(retry_, dice);
  retry_ = std::min(2 * retry_, pace_.longest_retry);
  ++failures_;
}

Schedule::Time Schedule::next() const noexcept {
  // An issuer that is in trouble is not asked more often because callers send it tokens.
  if (!wanted_ || failures_ > 0 || !began_) return due_;
  return std::min(due_, *began_ + refetch_);
}

}  // namespace headgate::keyring
