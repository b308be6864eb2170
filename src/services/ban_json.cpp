#include "headgate/services/ban_json.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/core/random.hpp"
#include "headgate/limit/ban_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace headgate::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

}  // namespace

OrderedJson to_json(const limit::Ban& ban, Instant now) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(std::max(ban.until - now, Duration(0)));
  return {{"limit", ban.limit},
          {"key", ban.key},
          {"since", moment_text(ban.since)},
          {"until", moment_text(ban.until)},
          {"seconds_left", left.count()},
          {"reason", limit::to_text(ban.reason)},
          {"level", ban.level},
          {"observed", ban.observed}};
}

std::string text_of(const OrderedJson& json) {
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

std::string webhook_body(const limit::Ban& ban, const std::string& instance) {
  auto data = to_json(ban, ban.since);
  data["instance"] = instance;
  return text_of({{"type", "caller.suspended"}, {"timestamp", moment_text(ban.since)}, {"data", std::move(data)}});
}

std::string webhook_id() { return "ban_" + random_name(); }

}  // namespace headgate::services
