#pragma once
// Shapes that several parts of the table share, and functions that make shapes. Included only by files that define
// keys.

#include "config/formats/formats.hpp"
#include "rows.hpp"
#include "table.hpp"

#include <limits>

namespace headgate::config {

using Presence::required;

inline constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

constexpr Shape text(std::string_view what, TextCheck check = nullptr) {
  return {.form = Shape::Form::text, .what = what, .check = check};
}
constexpr Shape integer(std::uint64_t least, std::uint64_t most) {
  return {.form = Shape::Form::integer, .what = "a whole number", .least = least, .most = most};
}
constexpr Shape size(std::uint64_t least, std::uint64_t most) {
  return {.form = Shape::Form::size, .what = "a size", .least = least, .most = most};
}
constexpr Shape choice(std::span<const std::string_view> words, std::span<const std::string_view> later = {}) {
  return {.form = Shape::Form::choice, .what = "a word", .words = words, .later = later};
}
constexpr Shape list(std::string_view what, const Shape& of, std::uint64_t least, std::uint64_t most = kAny) {
  return {.form = Shape::Form::list, .what = what, .least = least, .most = most, .of = &of};
}
constexpr Shape map(std::string_view what, const Shape& of, std::uint64_t least = 0, TextCheck check = check_name) {
  return {.form = Shape::Form::map, .what = what, .check = check, .least = least, .most = kAny, .of = &of};
}
constexpr Shape section(const Section& of) {
  return {.form = Shape::Form::section, .what = "an object", .section = &of};
}
constexpr Shape either(std::string_view what, std::span<const Shape* const> forms) {
  return {.form = Shape::Form::either, .what = what, .forms = forms};
}

inline constexpr Shape kText = text("text");
inline constexpr Shape kBoolean{.form = Shape::Form::boolean, .what = "true or false"};
inline constexpr Shape kDuration{.form = Shape::Form::duration, .what = "a duration", .least = 1};
inline constexpr Shape kInterval{.form = Shape::Form::duration, .what = "a duration", .least = 100'000};
inline constexpr Shape kDelay{.form = Shape::Form::duration, .what = "a duration, or `0s`"};
inline constexpr Shape kHeaderName = text("a field name", check_field_name);
constexpr Shape path(std::string_view what, TextCheck check, bool (*is_path)(std::string_view text)) {
  return {.form = Shape::Form::text, .what = what, .check = check, .path = is_path};
}
inline constexpr Shape kFilePath = path("a file's path", check_file_path, [](std::string_view) { return true; });
inline constexpr Shape kParameterName = text("a parameter's name", check_parameter_name);
inline constexpr Shape kCookieName = text("a cookie's name", check_cookie_name);
inline constexpr Shape kNetwork = text("an address block", check_network);
inline constexpr Shape kListenAddress = text("an address", check_listen);
inline constexpr Shape kIfDown = choice(kIfRedisDown);
inline constexpr Shape kCountedStatus = integer(100, 599);
inline constexpr Shape kCountedStatuses = list("a list of statuses", kCountedStatus, 1, 64);

// Shapes of the parts that have a file of their own.
extern const Shape kRedirectToHttps;
extern const Shape kHsts;
extern const Shape kAddressesShape;
extern const Shape kClientBlocks;
extern const Shape kRequireShape;
extern const Shape kAuthShape;
extern const Shape kCompressShape;
extern const Shape kBasicShape;
extern const Shape kCorsShape;
extern const Shape kToShape;
extern const Shape kSplitByShape;
extern const Shape kListen;
extern const Shape kAdminShape;
extern const Shape kTimeoutsShape;
extern const Shape kBoundsShape;
extern const Shape kLogShape;
extern const Shape kRejectionShape;
extern const Shape kOnRejectShape;
extern const Shape kRouteRejectionShape;
extern const Shape kErrorPagesShape;
extern const Section kIdentitySection;
extern const Shape kApiKeyShape;
extern const Shape kJwtShape;
extern const Section kRedisSection;
extern const Section kRedisTlsSection;
extern const Section kUpstreamTlsSection;
extern const Section kHealthSection;
extern const Section kServerQueueSection;
extern const Shape kUpstreams;
extern const Section kLimitSection;
extern const Shape kPerOrPers;
extern const Shape kIfAbsent;
extern const Shape kRateOrRates;
extern const Shape kLimitRate;
extern const Shape kRateFrom;
extern const Shape kBurst;
extern const Shape kFlights;
extern const Shape kFlightQueueLength;
extern const Shape kTiers;
extern const Shape kTierFrom;
extern const Shape kTierName;
extern const Shape kBanShape;
extern const Shape kNotifyParts;
extern const Shape kShards;
extern const Shape kBalanceOfKeyShape;
extern const Shape kAppointmentsShape;
extern const Shape kSigningShape;
extern const Section kBillingSection;
extern const Section kWebhookSection;
extern const Section kTracingSection;
extern const Shape kRoomMap;
extern const Section kRoomSection;
extern const Shape kServerTlsShape;
extern const Section kConcurrencySection;
extern const Section kRetrySection;
extern const Section kMirrorSection;
extern const Section kSheddingSection;
extern const Shape kEjectShape;
extern const Shape kCircuitShape;
extern const Section kAllRoutesSection;
extern const Section kRespondSection;
extern const Shape kRequestFieldsShape;
extern const Shape kResponseFieldsShape;
extern const Shape kRewriteShape;
extern const Shape kRedirectShape;
extern const Shape kHostHeaderShape;
extern const Shape kRoutes;
extern const Shape kPriorityShape;
extern const Shape kDecideList;  // descriptors of a rate limit service
extern const Shape kLimitUses;   // a list of limits as a route uses them

}  // namespace headgate::config
