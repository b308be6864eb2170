// The admin endpoints of the usage report.

#include "admin/endpoint_groups.hpp"

#include "headgate/http/named_values.hpp"

#include <charconv>
#include <utility>

namespace headgate::admin {
namespace {

constexpr std::size_t kUsualCount = 1000;
constexpr const char* kCountRange = "\"count\" is a number from 1 to 10000.";
static_assert(services::UsageQuestion::kMaxCount == 10'000, "as the sentence says");

bool read_count(std::string_view text, std::size_t& out) {
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end && out > 0 && out <= services::UsageQuestion::kMaxCount;
}

services::BillingService::Tell giving(const AdminEndpoint::Give& give, std::string_view type) {
  return [give, type](const services::BillingService::Answer& answer) {
    if (answer.has_error()) return give({.status = answer.error().status, .body = answer.error().why});
    give({.body = *answer, .type = type});
  };
}

void answer_usage(services::BillingService& service, const AdminCall& call, const AdminEndpoint::Give& give) {
  services::BillingService::Call asked{
      .day = std::string(call.parameter("day")), .limit = {}, .cursor = {}, .count = kUsualCount};
  for (const std::string_view name : {"limit", "after", "count"}) {
    if (http::query_parameter(call.query, name).value.empty()) continue;
    const auto value = call.asked(name);
    if (!value) return give({.status = 400, .body = "A parameter of the query is there twice or cannot be read."});
    if (name == "count") {
      if (!read_count(*value, asked.count)) return give({.status = 400, .body = kCountRange});
    } else {
      (name == "limit" ? asked.limit : asked.cursor) = *value;
    }
  }
  service.ask(std::move(asked), giving(give, "application/x-ndjson"));
}

}  // namespace

std::vector<AdminEndpoint> usage_endpoints(const std::shared_ptr<services::BillingService>& service) {
  return {{.method = "GET",
           .path = "/api/v1/usage",
           .answer_later =
               [service](const AdminCall&, const AdminEndpoint::Give& give) {
                 service->ask_days(giving(give, AdminAnswer::kJson));
               },
           .about = {.summary = "The days of the usage report", .answer = "UsageDays"}},
          {.method = "GET",
           .path = "/api/v1/usage/{day}",
           .answer_later = [service](const AdminCall& call,
                                     const AdminEndpoint::Give& give) { answer_usage(*service, call, give); },
           .about = {.summary = "What each key of each billed limit has used on a day, a page of it",
                     .query = {{"after", "the cursor of the last record of the page before"},
                               {"count", "how many records, at most 10000; 1000 if it is not there"},
                               {"limit", "only this limit"}},
                     .lines = "UsageRecord"}}};
}

}  // namespace headgate::admin
