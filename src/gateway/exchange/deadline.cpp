#include "deadline.hpp"

#include "gateway/grpc/grpc_call.hpp"

#include "headgate/gateway/exchange.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::gateway {

namespace {

/// Returns the value of Connect-Timeout-Ms, which has at most ten digits.
std::optional<Duration> milliseconds_in(std::string_view value) noexcept {
  constexpr std::size_t kMaxDigits = 10;
  std::int64_t number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == value.data() + value.size();
  if (!whole || number < 0 || value.size() > kMaxDigits) return std::nullopt;
  return std::chrono::milliseconds(number);
}

}  // namespace

std::optional<Instant> deadline_in(std::string_view value) noexcept {
  constexpr std::int64_t kMaxSeconds = 100'000'000'000;  // the year 5138
  const auto dot = std::min(value.find('.'), value.size());
  const auto whole = value.substr(0, dot);
  const auto fraction = value.substr(std::min(dot + 1, value.size()));
  if (whole.empty() || fraction.size() > 6 || (dot < value.size() && fraction.empty()) ||
      whole.find_first_not_of("0123456789") != std::string_view::npos ||
      fraction.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::int64_t seconds = 0;
  if (std::from_chars(whole.data(), whole.data() + whole.size(), seconds).ec != std::errc() || seconds > kMaxSeconds)
    return std::nullopt;
  std::int64_t micros = 0;
  for (std::size_t i = 0; i < 6; ++i) micros = micros * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return Instant(std::chrono::seconds(seconds)) + Duration(micros);
}

std::optional<Duration> time_left(const Exchange& x) noexcept {
  std::optional<Duration> left;
  if (const auto deadline = deadline_in(http::value_of(x.request.fields, "x-request-deadline")))
    left = *deadline - x.clock->wall();
  if (const auto timeout = grpc_timeout_of(x)) {
    const auto rest = *timeout - std::chrono::duration_cast<Duration>(x.clock->steady() - x.started);
    left = left ? std::min(*left, rest) : rest;
  }
  return left;
}

bool own_deadline_over(const Exchange& x) noexcept {
  // time by which a server may notice the deadline before the gateway does
  constexpr Duration kEarly = std::chrono::milliseconds(5);
  const auto& fields = x.request.fields;
  if (const auto deadline = deadline_in(http::value_of(fields, "x-request-deadline")))
    if (*deadline <= x.clock->wall() + kEarly) return true;
  const auto passed = std::chrono::duration_cast<Duration>(x.clock->steady() - x.started) + kEarly;
  const auto timeout = grpc_timeout_in(http::value_of(fields, kGrpcTimeout));
  const auto connect = milliseconds_in(http::value_of(fields, "connect-timeout-ms"));
  return (timeout && *timeout <= passed) || (connect && *connect <= passed);
}

}  // namespace headgate::gateway
