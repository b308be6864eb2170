#include "headgate/core/literals.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr std::string_view kAnyValue = "*";

bool matches_value(std::string_view pattern, std::string_view value) noexcept {
  if (!pattern.ends_with(kAnyValue)) return pattern == value;
  return value.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// Returns the domain and the sorted keys as one text; neither has a NUL, or two texts could be equal.
std::string name_of_keys(std::string_view domain, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out(domain);
  for (const auto& entry : entries) out.append(1, '\0').append(entry.first);
  return out;
}

}  // namespace

bool DescriptorMatch::has(std::string_view key) const noexcept {
  return std::ranges::any_of(entries, [key](const auto& entry) { return entry.first == key; });
}

std::string to_text(const DescriptorMatch& match) {
  std::string out = match.domain;
  for (const auto& [key, value] : match.entries)
    out.append(&value == &match.entries.front().second ? ": " : ", ").append(key).append("=").append(value);
  return out;
}

void DescriptorRoutes::add(const DescriptorMatch& match, const Route* route) {
  Ranked ranked{.patterns = {}, .route = route};
  for (const auto& [key, pattern] : match.entries) {
    ranked.patterns.push_back(pattern);
    ranked.exact += pattern.ends_with(kAnyValue) ? 0 : 1;
    ranked.length += pattern.size();
  }
  auto& same = routes_[name_of_keys(match.domain, match.entries)];
  const auto behind = std::ranges::find_if(same, [&](const Ranked& each) {
    return each.exact != ranked.exact ? each.exact < ranked.exact : each.length < ranked.length;
  });
  same.insert(behind, std::move(ranked));
}

const Route* DescriptorRoutes::find(std::string_view domain, const envoy::Descriptor& descriptor) const {
  const auto& entries = descriptor.entries;
  if (domain.find('\0') != domain.npos) return nullptr;
  for (const auto& [key, value] : entries)
    if (key.find('\0') != key.npos) return nullptr;
  const auto same = routes_.find(name_of_keys(domain, entries));
  if (same == routes_.end()) return nullptr;
  for (const auto& each : same->second) {
    bool all = true;
    for (std::size_t i = 0; i < entries.size() && all; ++i) all = matches_value(each.patterns[i], entries[i].second);
    if (all) return each.route;
  }
  return nullptr;
}

const std::string* RateLimitCall::value(std::string_view key) const noexcept {
  for (const auto& [name, value] : descriptor().entries)
    if (name == key) return &value;
  return nullptr;
}

bool RateLimitCall::asks(Stage stage) const noexcept {
  return std::ranges::any_of(matched, [stage](const auto& each) { return each.route->checks(stage); });
}

std::int64_t RateLimitCall::permits(std::int64_t each) const noexcept {
  const auto& one = descriptor();
  const auto hits = one.hits.value_or(request.hits > 0 ? request.hits : 1);
  const auto cost = static_cast<std::uint64_t>(each);
  const bool fits = cost == 0 || hits <= kMaxRequests / cost;
  const auto permits = static_cast<std::int64_t>(fits ? hits * cost : kMaxRequests);
  return one.gives_back ? -permits : permits;
}

}  // namespace headgate::gateway
