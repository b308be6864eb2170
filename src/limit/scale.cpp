#include "headgate/limit/scale.hpp"

#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <numeric>

namespace headgate::limit {
namespace {

std::uint64_t times(std::uint64_t count, std::uint32_t up, std::uint32_t down) noexcept {
  const UnsignedWide product = UnsignedWide{count} * up / down;
  return static_cast<std::uint64_t>(std::max<UnsignedWide>(product, 1));
}

}  // namespace

Rule scaled(const Rule& rule, std::uint32_t up, std::uint32_t down) {
  Rule out = rule;
  out.burst = times(rule.burst, up, down);
  // The rate is divided exactly by a longer period: "1/minute" for four sharers becomes one request in four minutes.
  const auto count = rule.rate.count * up;
  const auto common = std::gcd(count, std::uint64_t{down});
  out.rate.count = count / common;
  out.rate.period = rule.rate.period * static_cast<std::int64_t>(down / common);
  if (!rule.calendar && !out.algorithm->check(out)) return out;
  // A rule that counts by windows keeps its window, and its count is scaled instead.
  out.rate = rule.rate;
  out.rate.count = times(rule.rate.count, up, down);
  return out;
}

}  // namespace headgate::limit
