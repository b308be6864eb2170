// The admin endpoints of the usage report.

#include "admin/endpoint_groups.hpp"
#include "key_reader.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/http/named_values.hpp"

#include <array>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

constexpr std::size_t kUsualCount = 1000;
constexpr const char* kCountRange = "\"count\" is a number from 1 to 10000.";
static_assert(services::UsageQuestion::kMaxCount == 10'000, "as the sentence says");

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
    if (!value) return give({.status = 400, .body = "A parameter of the query appears twice or cannot be read."});
    if (name == "count") {
      const auto count = whole_number<std::size_t>(*value, 1, services::UsageQuestion::kMaxCount);
      if (!count) return give({.status = 400, .body = kCountRange});
      asked.count = *count;
    } else {
      (name == "limit" ? asked.limit : asked.cursor) = *value;
    }
  }
  service.ask(std::move(asked), giving(give, "application/x-ndjson"));
}

/// Returns the counters of `key` in the limit called `limit`; without a name, in all billed limits that can have such a
/// key. The error says why there is none.
Result<std::vector<services::HistoryQuestion::Counter>, AdminAnswer> counters_of(const KeyReader& keys,
                                                                                 const config::Config& config,
                                                                                 const std::string& key,
                                                                                 const std::string& limit) {
  std::vector<services::HistoryQuestion::Counter> out;
  AdminAnswer why{.status = 404,
                  .body = limit.empty() ? "No limit here has \"bill\"." : "No limit with \"bill\" has this name."};
  for (const auto& each : config.limits) {
    if (!each.bill || (!limit.empty() && each.name != limit)) continue;
    auto read = keys.read(config, each, key);
    if (read.has_error())
      why = std::move(read.error());
    else
      out.push_back({each.name, *read, KeyReader::named(each, *read, key)});
  }
  if (out.empty()) return {boost::system::in_place_error, std::move(why)};
  return out;
}

/// Gives the list of the known days. If the call names a key, gives the use of that key.
void answer_days(services::BillingService& service, const OperatorBoard& board, const KeyReader& keys,
                 const AdminCall& call, const AdminEndpoint::Give& give) {
  std::string key;
  std::string limit;
  services::BillingService::HistoryCall asked;
  const std::array<std::pair<std::string_view, std::string*>, 4> members{
      {{"key", &key}, {"limit", &limit}, {"from", &asked.from}, {"to", &asked.to}}};
  bool any = false;
  for (const auto& [name, member] : members) {
    if (http::query_parameter(call.query, name).value.empty()) continue;
    const auto value = call.asked(name);
    if (!value) return give({.status = 400, .body = "A parameter of the query appears twice or cannot be read."});
    *member = *value;
    any = true;
  }
  if (!any) return service.ask_days(giving(give, AdminAnswer::kJson));
  if (key.empty()) return give({.status = 400, .body = "Name a \"key\" for what it has used."});
  auto counters = counters_of(keys, *board.now().active->config, key, limit);
  if (counters.has_error()) return give(std::move(counters.error()));
  asked.counters = std::move(*counters);
  service.ask_history(std::move(asked), giving(give, AdminAnswer::kJson));
}

}  // namespace

std::vector<AdminEndpoint> usage_endpoints(const OperatorBoard& board,
                                           const std::shared_ptr<services::BillingService>& service,
                                           const std::shared_ptr<const KeyReader>& keys) {
  return {
      {.method = "GET",
       .path = "/api/v1/usage",
       .answer_later = [service, &board, keys](
                           const AdminCall& call,
                           const AdminEndpoint::Give& give) { answer_days(*service, board, *keys, call, give); },
       .about = {.summary = "The days of the usage report; with a key, what that has used on each day and in months",
                 .answer = "Usage",
                 .query = {{"key", "as the limit counts it: of one by API key, its owner"},
                           {"limit", "only this limit"},
                           {"from", "the first day; the first that is kept if it is not there"},
                           {"to", "the last day; today if it is not there"}}}},
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
