#include "headgate/usage/prices.hpp"

#include <algorithm>

namespace headgate::usage {
namespace {

__extension__ using Wide = __int128;  // a sum of products of counts and prices, each at most 10^15

constexpr std::int64_t kMillion = 1'000'000;

std::int64_t counted(std::int64_t count) noexcept {
  return std::clamp<std::int64_t>(count, 0, kMaxMicros);  // the maximum of a count is the same number
}

const TokenPrices& prices_for(const Price& price, std::int64_t input) noexcept {
  const auto step =
      std::find_if(price.steps.rbegin(), price.steps.rend(), [&](const PriceStep& each) { return input > each.above; });
  return step == price.steps.rend() ? price : step->prices;
}

}  // namespace

std::int64_t price_of(const Price& price, const Usage& usage) noexcept {
  const auto input = counted(usage.input);
  const auto output = counted(usage.output);
  const auto excess = std::max<std::int64_t>(counted(usage.total) - input - output, 0);
  const auto cached = counted(usage.cached);
  const auto kept_long = counted(usage.cache_written_long);
  const auto written = std::max<std::int64_t>(counted(usage.cache_written) - kept_long, 0);
  const auto heard = counted(usage.audio_input);
  const auto spoken = counted(usage.audio_output);
  // If the input was not reported, the excess contains it.
  const auto& prices = prices_for(price, usage.input < 0 ? excess : input);
  const auto plain_input = std::max<std::int64_t>(input - cached - written - kept_long - heard, 0);
  const auto plain_output = std::max<std::int64_t>(output - spoken, 0);
  Wide picos = 0;
  const auto add = [&](std::int64_t count, std::int64_t each) { picos += static_cast<Wide>(count) * each; };
  add(plain_input, prices.input);
  add(cached, prices.cached);
  add(written, prices.cache_written);
  add(kept_long, prices.cache_written_long);
  add(heard, prices.audio_input);
  add(plain_output, prices.output);
  add(spoken, prices.audio_output);
  add(excess, std::max(prices.input, prices.output));
  const Wide micros = (picos + kMillion - 1) / kMillion;
  return micros < kMaxMicros ? static_cast<std::int64_t>(micros) : kMaxMicros;
}

}  // namespace headgate::usage
