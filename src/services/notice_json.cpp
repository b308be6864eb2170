#include "notice_json.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/limit/unit_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace headgate::services {

std::string notice_id(const limit::Notice& notice, const std::string& instance) {
  std::string text;
  // The length makes sure that two different lists never give the same text.
  const auto add = [&text](const std::string& part) {
    text.append(std::to_string(part.size())).append(1, ':').append(part);
  };
  add(notice.limit);
  add(notice.rate);
  add(notice.key);
  add(std::to_string(notice.since.time_since_epoch().count()));
  add(std::to_string(notice.percent));
  if (notice.store == limit::Store::memory) add(instance);
  const auto digest = identity::sha256(text);
  return "quota_" + hex(std::span(digest).first<16>());
}

std::string notice_body(const limit::Notice& notice, const std::string& instance, Instant now) {
  nlohmann::ordered_json data = {{"limit", notice.limit}, {"rate", notice.rate}, {"key", notice.key}};
  if (!notice.owner.empty()) data["owner"] = notice.owner;
  if (!notice.tier.empty()) data["tier"] = notice.tier;
  if (notice.unit != limit::Unit::request) data["unit"] = limit::to_text(notice.unit);
  data["percent"] = notice.percent;
  data["used"] = notice.used;
  data["size"] = notice.size;
  data["since"] = moment_text(notice.since);
  data["until"] = moment_text(notice.until);
  data["rejected"] = notice.rejected;
  data["observed"] = notice.observed;
  data["instance"] = instance;
  return text_of({{"type", "quota.reached"}, {"timestamp", moment_text(now)}, {"data", std::move(data)}});
}

}  // namespace headgate::services
