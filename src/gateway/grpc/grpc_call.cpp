#include "grpc_call.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::gateway {

bool detail::has_grpc_type(const http::RequestHead& request) noexcept {
  // If there are several Content-Type fields, one gRPC type among them is enough, because the server may read any of
  // them.
  return request.method == "POST" &&
         std::any_of(request.fields.begin(), request.fields.end(), [](const http::Field& field) {
           return field.id == http::Known::content_type && is_grpc_type(field.value);
         });
}

bool is_grpc_type(std::string_view type) noexcept {
  constexpr std::string_view kType = "application/grpc";
  if (!http::same_word(type.substr(0, kType.size()), kType)) return false;
  const auto rest = type.substr(kType.size());
  return rest.empty() || rest.front() == '+' || rest.front() == ';' || rest.front() == ' ';
}

std::optional<Duration> grpc_timeout_in(std::string_view value) noexcept {
  constexpr std::size_t kMaxDigits = 8;
  if (value.size() < 2 || value.size() > kMaxDigits + 1) return std::nullopt;
  std::int64_t number = 0;
  const auto* const end = value.data() + value.size() - 1;
  if (value.front() < '0' || value.front() > '9') return std::nullopt;
  if (const auto read = std::from_chars(value.data(), end, number); read.ec != std::errc() || read.ptr != end)
    return std::nullopt;
  switch (value.back()) {
    case 'H':
      return std::chrono::hours(number);
    case 'M':
      return std::chrono::minutes(number);
    case 'S':
      return std::chrono::seconds(number);
    case 'm':
      return std::chrono::milliseconds(number);
    case 'u':
      return std::chrono::microseconds(number);
    case 'n':
      return std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(number));
    default:
      return std::nullopt;
  }
}

std::optional<Duration> grpc_timeout_of(const Exchange& x) noexcept {
  if (!is_grpc(x)) return std::nullopt;
  constexpr Duration kLongest = std::chrono::hours(24 * 365);  // longer timeouts would overflow the clock
  const auto timeout = grpc_timeout_in(http::value_of(x.request.fields, kGrpcTimeout));
  return timeout ? std::optional(std::min(*timeout, kLongest)) : std::nullopt;
}

std::string_view grpc_timeout(Duration left, char* out) noexcept {
  constexpr std::int64_t kMax = 99'999'999;
  const auto micros = std::max<std::int64_t>(left.count(), 0);
  auto number = micros;
  char unit = 'u';
  if (micros > kMax) {
    number = std::min(micros / 1000, kMax);
    unit = 'm';
  }
  if (micros / 1000 > kMax) {
    number = std::min(micros / 1'000'000, kMax);
    unit = 'S';
  }
  char* const end = std::to_chars(out, out + 8, number).ptr;
  *end = unit;
  return {out, static_cast<std::size_t>(end + 1 - out)};
}

std::optional<Duration> grpc_pushback_in(std::string_view value) noexcept {
  std::int32_t number = -1;
  const auto* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return std::chrono::milliseconds(number);
}

observe::GrpcStatus grpc_status_in(std::string_view value) noexcept {
  using observe::GrpcStatus;
  if (value.empty()) return GrpcStatus::none;
  int number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool known = read.ec == std::errc() && read.ptr == value.data() + value.size() && number >= 0 &&
                     number < static_cast<int>(GrpcStatus::other);
  return known ? static_cast<GrpcStatus>(number) : GrpcStatus::other;
}

}  // namespace headgate::gateway
