#include "limit_fields.hpp"

#include <algorithm>

namespace headgate::gateway {

std::uint64_t seconds_up(Duration duration) noexcept {
  const auto seconds = (std::max<std::int64_t>(0, duration.count()) + 999'999) / 1'000'000;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, seconds));
}

std::string_view in_words(TextArena& text, std::uint64_t seconds) {
  struct Unit {
    std::uint64_t seconds;
    std::string_view name;
  };
  static constexpr Unit kUnits[] = {{86'400, " day"}, {3'600, " hour"}, {60, " minute"}, {1, " second"}};
  const auto many = [&](std::uint64_t count, const Unit& unit) {
    return text.join({text.number(count), unit.name, count == 1 ? "" : "s"});
  };
  // Two of the largest unit or more, and the next smaller one, which is rounded up.
  const Unit* large = kUnits;
  while (large->seconds > 1 && seconds < 2 * large->seconds) ++large;
  if (large->seconds == 1) return many(seconds, *large);
  const Unit& small = large[1];
  const auto smalls = (seconds + small.seconds - 1) / small.seconds;
  const auto in_large = large->seconds / small.seconds;
  if (smalls % in_large == 0) return many(smalls / in_large, *large);
  return text.join({many(smalls / in_large, *large), " and ", many(smalls % in_large, small)});
}

void append_limit_fields(Exchange& x, RejectionHeaders style, http::Fields& fields) {
  const auto& admission = x.admission;
  if (!admission.binding || style == RejectionHeaders::none) return;
  const auto& verdict = admission.verdict();
  const bool rejected = admission.outcome == Admission::Outcome::rejected;
  // Refused: until the next one gets through, if waiting helps. Allowed: until all of it is there again.
  const bool waits = rejected && verdict.retry_after < limit::kNever;
  const auto wait = waits ? verdict.retry_after : verdict.reset_after;
  const auto remaining = x.text.number(rejected ? 0 : verdict.remaining);
  if (style != RejectionHeaders::standard) {
    const auto at = admission.binding->asked_on + wait;
    const auto epoch = (at.time_since_epoch().count() + 999'999) / 1'000'000;
    fields.push_back({http::Known::unknown, "X-RateLimit-Limit", x.text.number(verdict.limit)});
    fields.push_back({http::Known::unknown, "X-RateLimit-Remaining", remaining});
    fields.push_back({http::Known::unknown, "X-RateLimit-Reset", x.text.number(epoch)});
  }
  if (style != RejectionHeaders::legacy) {
    fields.push_back({http::Known::unknown, "RateLimit-Policy", admission.binding->tier->policy});
    fields.push_back(
        {http::Known::unknown, "RateLimit",
         x.text.join({"\"", admission.rule_label(), "\";r=", remaining, ";t=", x.text.number(seconds_up(wait))})});
  }
}

}  // namespace headgate::gateway
