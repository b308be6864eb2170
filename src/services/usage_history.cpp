#include "headgate/services/usage_history.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace headgate::services {
namespace {

using HistoryJson = nlohmann::ordered_json;
using Month = std::chrono::year_month;

Month month_of(limit::Day day) {
  const std::chrono::year_month_day date(day);
  return {date.year(), date.month()};
}

std::string month_text(const Month& month) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u", static_cast<int>(month.year()),
                static_cast<unsigned>(month.month()));
  return text.data();
}

limit::Day first_of(const Month& month) { return month / 1; }
limit::Day last_of(const Month& month) { return std::chrono::year_month_day_last(month / std::chrono::last); }

}  // namespace

UsageHistory::UsageHistory(HistoryQuestion question)
    : question_(std::move(question)), rows_(question_.counters.size()), day_(question_.from) {
  for (const auto& each : question_.counters) limit::write_ledger_field(fields_.emplace_back(), each.limit, each.key);
}

std::optional<UsageHistory::Wanted> UsageHistory::next() const {
  if (counter_ >= fields_.size() || day_ > question_.to) return std::nullopt;
  return Wanted{day_, limit::bucket_of(fields_[counter_])};
}

void UsageHistory::take(const std::vector<limit::LedgerBucket>& buckets) {
  const auto& field = fields_[counter_];
  const auto bucket = limit::bucket_of(field);
  for (const auto& each : buckets) {
    if (each.number != bucket) continue;
    const auto found =
        std::find_if(each.uses.begin(), each.uses.end(), [&](const auto& use) { return use.first == field; });
    if (found != each.uses.end()) rows_[counter_].push_back({day_, found->second});
  }
  day_ += std::chrono::days(1);
  if (day_ <= question_.to) return;
  day_ = question_.from;
  ++counter_;
}

std::string UsageHistory::text(const About& about) const {
  const auto from = std::max(question_.from, about.kept_from);
  auto limits = HistoryJson::array();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    auto days = HistoryJson::array();
    for (const auto& row : rows_[i])
      days.push_back({{"day", day_text(row.day)},
                      {"used", row.use.used},
                      {"requests", row.use.requests},
                      {"complete", about.is_complete(row.day)}});
    auto months = HistoryJson::array();
    limit::Use all;
    for (auto month = month_of(from); from <= question_.to && month <= month_of(question_.to);
         month += std::chrono::months(1)) {
      limit::Use sum;
      for (const auto& row : rows_[i])
        if (month_of(row.day) == month) sum += row.use;
      all += sum;
      // A bill may use the month only if all of its days were asked for and are complete.
      bool complete = first_of(month) >= from && last_of(month) <= question_.to;
      for (auto day = first_of(month); complete && day <= last_of(month); day += std::chrono::days(1))
        complete = about.is_complete(day);
      months.push_back(
          {{"month", month_text(month)}, {"used", sum.used}, {"requests", sum.requests}, {"complete", complete}});
    }
    const auto& counter = question_.counters[i];
    auto& row = limits.emplace_back(HistoryJson{{"limit", counter.limit}, {"key", counter.named}});
    if (!counter.unit.empty()) row["unit"] = counter.unit;
    row["used"] = all.used;
    row["requests"] = all.requests;
    row["months"] = std::move(months);
    row["days"] = std::move(days);
  }
  return text_of({{"from", day_text(question_.from)},
                  {"to", day_text(question_.to)},
                  {"time_zone", about.zone},
                  {"kept_from", day_text(about.kept_from)},
                  {"limits", std::move(limits)}});
}

}  // namespace headgate::services
