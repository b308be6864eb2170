#include "time_zone.hpp"

#include "config/text/report.hpp"

#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::config {
namespace {

using limit::ZoneOffset;

constexpr date::sys_days kFrom = date::year(2000) / 1 / 1;
constexpr date::sys_days kUntil = date::year(2100) / 1 / 1;
// A zone that also changes for Ramadan has four changes a year, which makes 400 in the century.
constexpr std::size_t kMaxChanges = 1000;

std::vector<std::string> zone_names() {
  std::vector<std::string> names{"UTC"};
  try {
    const auto& zones = date::get_tzdb().zones;
    names.reserve(zones.size() + 1);
    for (const auto& zone : zones) names.push_back(zone.name());
  } catch (const std::exception&) {  // the tz database is missing, which unknown() reports
    names.resize(1);
  }
  return names;
}

std::string_view city_of(std::string_view name) {
  const auto slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

/// Returns an error that suggests the probable name: the nearest one, or the zone of the city that is written
/// ("Vienna", "vienna").
LiteralError unknown(const std::string& zone) {
  const auto names = zone_names();
  if (names.size() == 1)
    return {"the time zone " + in_quotes(zone) + " cannot be read: there is no tz database here",
            "install the package tzdata, or write \"UTC\""};
  std::string meant = nearest(zone, names);
  const auto same_city = std::ranges::find_if(names, [&](const std::string& name) {
    return name.find('/') != std::string::npos && edit_distance(city_of(name), city_of(zone)) == 0;
  });
  if (same_city != names.end() && edit_distance(zone, meant) > 0) meant = *same_city;
  const std::string form = "a name of the tz database, as in \"Europe/Vienna\", or \"UTC\"";
  return {in_quotes(zone) + " is not a time zone",
          meant.empty() ? "write " + form : "did you mean \"" + meant + "\"?  It is " + form};
}

std::vector<ZoneOffset> offsets_of(const date::time_zone& zone) {
  std::vector<ZoneOffset> offsets;
  date::sys_seconds at = kFrom;
  while (at < kUntil && offsets.size() < kMaxChanges) {
    const auto info = zone.get_info(at);
    if (offsets.empty() || offsets.back().offset != info.offset) offsets.push_back({at, info.offset});
    at = info.end;
  }
  return offsets;
}

}  // namespace

Result<std::shared_ptr<const limit::Calendar>, LiteralError> make_calendar(limit::Calendar::Unit unit,
                                                                           const std::string& zone) {
  std::vector<ZoneOffset> offsets{{Instant{}, Duration(0)}};
  if (zone != "UTC") {
    try {
      offsets = offsets_of(*date::locate_zone(zone));
    } catch (const std::exception&) {
      return unknown(zone);
    }
  }
  return std::make_shared<const limit::Calendar>(unit, zone, std::move(offsets));
}

}  // namespace headgate::config
