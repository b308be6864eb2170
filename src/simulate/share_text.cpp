#include "headgate/simulate/share_text.hpp"

#include "headgate/core/moment_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace headgate::simulate {
namespace {

std::string printed(const char* format, double value) {
  std::array<char, 64> text{};
  const auto size = std::snprintf(text.data(), text.size(), format, value);
  return {text.data(), std::min(static_cast<std::size_t>(std::max(size, 0)), text.size() - 1)};
}

}  // namespace

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0) return "0 %";
  if (part >= whole) return "100 %";
  const auto percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent >= 99.9) return percent >= 99.95 ? "> 99.9 %" : "99.9 %";
  if (percent >= 0.95) return printed("%.1f %%", percent);
  if (percent >= 0.095) return printed("%.2f %%", percent);
  if (percent >= 0.001) return printed("%.3f %%", percent);
  return "< 0.001 %";
}

std::string percent_text(double share) { return printed("%.6g %%", share * 100); }

std::string number_text(std::uint64_t number) {
  auto out = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3)
    out.insert(static_cast<std::size_t>(at), " ");
  return out;
}

std::string span_text(Duration time) {
  struct Unit {
    double seconds;
    /// shortest time that is shown in this unit, in seconds; a time below about two days is shown in hours: "24 h", not
    /// "1 d"
    double from;
    const char* name;
  };
  constexpr std::array<Unit, 5> kUnits{
      {{86'400, 172'795, "d"}, {3600, 7'195, "h"}, {60, 119.5, "min"}, {1, 0.9995, "s"}, {1e-3, 0, "ms"}}};
  const auto seconds = std::max(0.0, std::chrono::duration<double>(time).count());
  const auto* const unit = std::ranges::find_if(kUnits, [&](const auto& each) { return seconds >= each.from; });
  const auto value = seconds / unit->seconds;
  const bool whole = value >= 99.95 || std::abs(value - std::round(value)) < 0.05;
  return printed(whole ? "%.0f " : "%.1f ", value) + unit->name;
}

std::string minute_text(Instant moment, Instant from, Instant until) {
  using std::chrono::days;
  const auto whole = moment_text(moment);
  const bool one_day = std::chrono::floor<days>(from) == std::chrono::floor<days>(until);
  return one_day ? whole.substr(11, 5) : whole.substr(0, 10) + " " + whole.substr(11, 5);
}

}  // namespace headgate::simulate
