// Billing of limits: keys of the file, the options that they make, and a description in words.

#include "config/build.hpp"
#include "config/formats/time_zone.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::config {
namespace {

constexpr Shape kBillingZone = text("a time zone");
constexpr Key kBillingKeys[] = {
    {"keep", &kDuration, kOfOptions, R"("40d")", "How long a day's sums stay in Redis after its end: 2 to 366 days",
     into<&Billing::kept>},
    {"time_zone", &kBillingZone, "UTC", R"("Europe/Vienna")", "Time zone in which days begin and end"},
};

}  // namespace

constexpr Section kBillingSection{
    "billing", "billing", "Daily sums of the use of limits with `bill`; see [billing.md](billing.md).", kBillingKeys};

namespace {

constexpr Duration kMinKept = std::chrono::hours(2 * 24);  // yesterday must still be available
constexpr Duration kMaxKept = std::chrono::hours(366 * 24);

bool counts_flights(const limit::Limit& limit) {
  return std::ranges::any_of(limit.tiers, [](const limit::Tier& tier) {
    return std::ranges::any_of(tier.rules, [](const limit::Rule& rule) { return rule.algorithm == &limit::in_flight; });
  });
}

/// Returns whether only values that the caller wrote name the caller in the limit's key.
bool chosen_by_callers(const limit::Limit& limit) {
  return !gateway::is_own_key(limit) && std::ranges::any_of(limit.per, [](const limit::Per& per) {
    return per.source->counts == gateway::Counts::callers && per.source->needs != gateway::Needs::descriptor;
  });
}

void check_billed(Build& build, const limit::Limit& limit, const Node& node) {
  const Node& written = *find(&node, "bill");
  if (counts_flights(limit)) {
    build.report.error_at_key(code::kConflict, written,
                              "\"bill\" sums what requests cost, and an \"in_flight\" limit gets its permits back",
                              "give the limit a \"rate\", or remove it");
  }
  if (find(&build.root, "redis") == nullptr) {
    build.report.error_at_key(code::kUnresolved, written,
                              "billed usage is summed in Redis, but there is no \"redis\" block",
                              R"(add "redis": { "url": "redis://127.0.0.1:6379" }, or remove it)");
  }
  if (chosen_by_callers(limit)) {
    build.report.warning_at_key(code::kBelieved, written,
                                "callers choose the key of limit " + in_quotes(limit.name) +
                                    " themselves, so they can use at the expense of others",
                                R"(count by a credential, as in "per": "api_key")");
  }
}

void read_kept(Build& build, const Node& written, Billing& out) {
  fill(&written, kBillingSection, out);
  if (out.kept >= kMinKept && out.kept <= kMaxKept) return;
  build.report.error(code::kRange, *find(&written, "keep"), "\"keep\" must be from 2 to 366 days", R"(write "40d")");
}

void read_days(Build& build, const Node* written, std::shared_ptr<const limit::Calendar>& out) {
  auto days = make_calendar(limit::Calendar::Unit::day, written == nullptr ? std::string("UTC") : written->text);
  if (days.has_value()) {
    out = std::move(*days);
  } else if (written->replaced) {
    build.report.error(code::kLiteral, *written,
                       "the value of " + in_quotes(written->written) + " is not a time zone that can be used",
                       "the value is not shown here, because it may be secret");
  } else {
    build.report.error(code::kLiteral, *written, days.error().message, days.error().help);
  }
}

}  // namespace

void build_billing(Build& build) {
  const Node* written = find(&build.root, "billing");
  bool any = false;
  for (std::size_t i = 0; i < build.config.limits.size(); ++i) {
    const auto& limit = build.config.limits[i];
    if (limit.bill) check_billed(build, limit, *build.limit_nodes[i]);
    any = any || limit.bill;
  }
  if (written != nullptr && !any) {
    build.report.warning_at_key(code::kUnused, *written, "nothing is summed: no limit has \"bill\"",
                                R"(add "bill": true to a limit, or remove it)");
  }
  Billing out;
  if (written != nullptr) read_kept(build, *written, out);
  read_days(build, text_at(written, "time_zone"), out.days);
  if (!any) return;
  build.config.gateway.billing_days = out.days;
  build.config.billing = std::move(out);
}

std::string billing_in_words(const Config& config) {
  if (!config.billing) return {};
  std::vector<std::string> names;
  for (const auto& limit : config.limits)
    if (limit.bill) names.push_back(limit.name);
  return "\nThe use of " + joined(names, ", ") + " is summed for bills, by days of " + config.billing->days->zone() +
         "; Redis keeps each day for " + to_text(config.billing->kept) + ".\n";
}

}  // namespace headgate::config
