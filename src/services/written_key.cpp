#include "headgate/services/written_key.hpp"

#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::services {

std::string key_words(const std::vector<limit::Per>& per) {
  std::string out;
  for (const auto& part : per) out.append(out.empty() ? "" : "|").append(gateway::to_text(part));
  return out;
}

std::string written_key(const limit::Limit& limit, std::string_view key) {
  const auto& instead = limit.if_absent.instead;
  for (std::size_t i = 0; i < instead.size(); ++i)
    if (key.starts_with(limit::IfAbsent::kMarks[i])) return key_words(instead[i]).append("=").append(key.substr(1));
  return std::string(key);
}

std::string written_key(const config::Config& config, std::string_view limit, std::string_view key) {
  auto known = std::ranges::find(config.limits, limit, &limit::Limit::name);
  if (known == config.limits.end())  // a limit at a scale has the name "limit@route"
    known = std::ranges::find(config.limits, limit.substr(0, limit.rfind('@')), &limit::Limit::name);
  return known == config.limits.end() ? std::string(key) : written_key(*known, key);
}

}  // namespace headgate::services
