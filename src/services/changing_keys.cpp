#include "headgate/services/changing_keys.hpp"

#include "headgate/core/hash.hpp"

#include <algorithm>

namespace headgate::services {

void ChangingKeys::add(std::string_view limit, const observe::HeavyList& sampled, Steady now) {
  auto at = limits_.find(limit);
  if (at == limits_.end()) at = limits_.emplace(std::string(limit), Window{.begun = now, .seen = {}}).first;
  auto& window = at->second;
  for (const auto& key : sampled.keys) {
    const auto times = std::max<std::uint64_t>(key.count / observe::LimitTop::kSampled, 1);
    window.samples += times;
    window.repeated += times - 1;
    if (!window.seen.insert(stable_hash(key.key)).second) ++window.repeated;
  }
  if (window.samples >= kMaxSamples) end(window, now);
}

void ChangingKeys::end(Window& window, Steady now) {
  constexpr std::size_t kOneIn = 50;
  window.changing = window.samples >= kMinSamples && window.repeated * kOneIn <= window.samples;
  window.begun = now;
  window.samples = window.repeated = 0;
  window.seen.clear();
}

std::vector<std::string> ChangingKeys::changing(Steady now) {
  std::vector<std::string> out;
  for (auto& [name, window] : limits_) {
    if (now - window.begun >= kWindow) end(window, now);
    if (window.changing) out.push_back(name);
  }
  return out;
}

}  // namespace headgate::services
