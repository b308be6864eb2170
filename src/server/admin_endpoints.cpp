#include "headgate/server/admin_endpoints.hpp"

#include <algorithm>
#include <optional>

namespace headgate::server {
namespace {

using Parameters = std::vector<std::pair<std::string_view, std::string_view>>;

/// Removes and returns the text up to the next slash, and removes that slash.
std::string_view take_segment(std::string_view& path) noexcept {
  const auto slash = std::min(path.find('/'), path.size());
  const auto segment = path.substr(0, slash);
  path.remove_prefix(std::min(slash + 1, path.size()));
  return segment;
}

std::optional<Parameters> match(std::string_view pattern, std::string_view path) {
  if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/')) return std::nullopt;
  Parameters parameters;
  while (!pattern.empty() || !path.empty()) {
    const auto wanted = take_segment(pattern);
    const auto given = take_segment(path);
    const bool any = wanted.starts_with('{') && wanted.ends_with('}');
    if (any ? given.empty() : wanted != given) return std::nullopt;
    if (any) parameters.emplace_back(wanted.substr(1, wanted.size() - 2), given);
  }
  return parameters;
}

}  // namespace

std::string_view AdminCall::parameter(std::string_view name) const noexcept {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& one) { return one.first == name; });
  return found == parameters.end() ? std::string_view() : found->second;
}

AdminMatch find_endpoint(std::span<const AdminEndpoint> endpoints, std::string_view method, std::string_view path) {
  AdminMatch out;
  for (const auto& each : endpoints) {
    auto parameters = match(each.path, path);
    if (!parameters) continue;
    if (out.path == nullptr) out.path = &each;
    out.allowed += (out.allowed.empty() ? "" : ", ") + std::string(each.method);
    const bool read = each.method == "GET";
    if (read) out.allowed += ", HEAD";
    if (out.endpoint != nullptr || (each.method != method && !(read && method == "HEAD"))) continue;
    out.endpoint = &each;
    out.parameters = std::move(*parameters);
  }
  return out;
}

}  // namespace headgate::server
