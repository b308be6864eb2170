#include "sizes.hpp"

#include "headgate/limit/balance.hpp"
#include "headgate/limit/in_flight.hpp"

namespace headgate::simulate {

namespace {
constexpr std::size_t kSmall = 99;      // the sizes 1 to 99
constexpr std::size_t kOfADecade = 90;  // the sizes 10 to 99, times a power of ten
}  // namespace

std::uint64_t size_at(std::size_t at) noexcept {
  if (at < kSmall) return at + 1;
  std::uint64_t power = 10;
  for (at -= kSmall; at >= kOfADecade; at -= kOfADecade) power *= 10;
  return (at + 10) * power;
}

std::size_t sizes() noexcept {
  static const std::size_t count = [] {
    std::size_t out = 0;
    while (size_at(out) <= kMaxRequests) ++out;
    return out;
  }();
  return count;
}

std::optional<limit::Rule> resized(const limit::Rule& rule, Dimension dimension, std::uint64_t size) {
  if (limit::is_balance(rule)) return std::nullopt;
  auto out = rule;
  const auto& algorithm = *rule.algorithm;
  if (!algorithm.refills) {
    if (dimension == Dimension::burst) return std::nullopt;
    out.burst = size;
    out.rate = {size, limit::kFlightLease};
    if (algorithm.check(out)) return std::nullopt;
    return out;
  }
  const bool own_burst = rule.burst != algorithm.default_burst(rule);
  if (dimension == Dimension::burst) {
    out.burst = size;
  } else {
    out.rate.count = size;
    if (!own_burst) out.burst = algorithm.default_burst(out);
  }
  if (algorithm.check(out)) return std::nullopt;
  return out;
}

}  // namespace headgate::simulate
