#include "headgate/core/literals.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr std::string_view kAnyValue = "*";

/// Returns the domain and the sorted keys as one text; neither has a NUL, or two texts could be equal.
std::string name_of_keys(std::string_view domain, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out(domain);
  for (const auto& entry : entries) out.append(1, '\0').append(entry.first);
  return out;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

/// Returns the values at these places as one text, each with its length, because a value may have any bytes.
std::string text_of_values(const Entries& entries, const std::vector<std::size_t>& places) {
  std::string out;
  for (const auto at : places) {
    const auto& value = entries[at].second;
    out.append(std::to_string(value.size())).append(1, ':').append(value);
  }
  return out;
}

/// Returns whether the values at all other places than `whole` have these beginnings.
bool have_beginnings(const Entries& entries, const std::vector<std::size_t>& whole,
                     const std::vector<std::string>& beginnings) noexcept {
  auto next_whole = whole.begin();
  auto beginning = beginnings.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (next_whole != whole.end() && *next_whole == i)
      ++next_whole;
    else if (!entries[i].second.starts_with(*beginning++))
      return false;
  }
  return true;
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
  Ranked ranked{.beginnings = {}, .number = count_++, .route = route};
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < match.entries.size(); ++i) {
    const std::string_view pattern = match.entries[i].second;
    if (!pattern.ends_with(kAnyValue)) {
      whole.push_back(i);
    } else {
      ranked.beginnings.emplace_back(pattern.substr(0, pattern.size() - kAnyValue.size()));
      ranked.length += ranked.beginnings.back().size();
    }
  }
  auto& groups = routes_[name_of_keys(match.domain, match.entries)];
  auto alike = std::ranges::find(groups, whole, &Alike::whole);
  if (alike == groups.end()) {
    const auto behind =
        std::ranges::find_if(groups, [&](const Alike& each) { return each.whole.size() < whole.size(); });
    alike = groups.insert(behind, Alike{.whole = std::move(whole), .by_values = {}});
  }
  auto& same = alike->by_values[text_of_values(match.entries, alike->whole)];
  const auto behind = std::ranges::find_if(same, [&](const Ranked& each) { return each.length < ranked.length; });
  same.insert(behind, std::move(ranked));
}

const Route* DescriptorRoutes::find(std::string_view domain, const envoy::Descriptor& descriptor) const {
  const auto& entries = descriptor.entries;
  if (domain.find('\0') != domain.npos) return nullptr;
  for (const auto& [key, value] : entries)
    if (key.find('\0') != key.npos) return nullptr;
  const auto groups = routes_.find(name_of_keys(domain, entries));
  if (groups == routes_.end()) return nullptr;
  const Ranked* best = nullptr;
  std::size_t whole_values = 0;
  for (const auto& alike : groups->second) {
    if (best != nullptr && alike.whole.size() < whole_values) break;
    const auto same = alike.by_values.find(text_of_values(entries, alike.whole));
    if (same == alike.by_values.end()) continue;
    const auto first = std::ranges::find_if(
        same->second, [&](const Ranked& each) { return have_beginnings(entries, alike.whole, each.beginnings); });
    if (first == same->second.end()) continue;
    const bool better = best == nullptr || first->length > best->length ||
                        (first->length == best->length && first->number < best->number);
    if (better) best = &*first;
    whole_values = alike.whole.size();
  }
  return best == nullptr ? nullptr : best->route;
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
