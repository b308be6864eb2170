#include "server_names.hpp"

#include <algorithm>
#include <map>

namespace headgate::net {

std::string normal_name(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.size() > kLongest) return {};
  std::string out(name);
  for (auto& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

ServerNames::ServerNames(const std::vector<std::vector<std::string>>& names) : usual_{0} {
  std::map<std::string, std::vector<std::size_t>> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const auto& name : names[i]) {
      auto& of_name = all[name.starts_with("*.") ? name.substr(1) : normal_name(name)];
      if (of_name.empty() || of_name.back() != i) of_name.push_back(i);
    }
  }
  entries_.assign(all.begin(), all.end());
  if (names.empty() || names.front().empty()) return;
  const auto& first = names.front().front();
  if (const auto* same = exactly(first.starts_with("*.") ? std::string_view(first).substr(1) : first)) usual_ = *same;
}

const std::vector<std::size_t>* ServerNames::exactly(std::string_view name) const noexcept {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), name,
                                      [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  return found == entries_.end() || found->first != name ? nullptr : &found->second;
}

const std::vector<std::size_t>& ServerNames::find(std::string_view name) const noexcept {
  if (name.empty() || name.front() == '.') return usual_;
  if (const auto* exact = exactly(name)) return *exact;
  const auto dot = name.find('.');
  const auto* const wild = dot == name.npos ? nullptr : exactly(name.substr(dot));
  return wild != nullptr ? *wild : usual_;
}

}  // namespace headgate::net
